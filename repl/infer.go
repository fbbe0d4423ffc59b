package repl

import (
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// inference finds out what is known about expressions in source text that is being typed. It runs no Lua: it knows the
// globals and what the descriptors say of functions and objects.
type inference struct {
	host   *host.Host
	tokens []token
	depth  int // of assignments that lead from one to another
}

const deepestInference = 8

// chain is what a chain of names, calls and indices such as hw.machine("virt"):cpu(1) has led to.
type chain struct {
	shape api.Shape
	fn    *api.Func // the function that a call at this point would call, if it is described
	name  string    // the chain is this name alone
}

// isSymbol reports whether the token at i is one of the given symbols.
func (f *inference) isSymbol(i int, symbols ...string) bool {
	if i < 0 || i >= len(f.tokens) || f.tokens[i].kind != symbolToken {
		return false
	}
	for _, s := range symbols {
		if f.tokens[i].text == s {
			return true
		}
	}
	return false
}

// endsExpression reports whether the token at i can be the last of an expression that can be called or indexed.
func (f *inference) endsExpression(i int) bool {
	if i < 0 || i >= len(f.tokens) {
		return false
	}
	k := f.tokens[i].kind
	return k == nameToken || k == stringToken || f.isSymbol(i, ")", "]", "}")
}

// opener returns the bracket that the closing one at i belongs to, -1 if there is none.
func (f *inference) opener(i int) int {
	depth := 0
	for ; i >= 0; i-- {
		switch {
		case f.isSymbol(i, ")", "]", "}"):
			depth++
		case f.isSymbol(i, "(", "[", "{"):
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// enclosing returns the innermost bracket that is open before token i, and the number of commas between them; -1 if
// there is none.
func (f *inference) enclosing(i int) (bracket, commas int) {
	for i--; i >= 0; i-- {
		switch {
		case f.isSymbol(i, ")", "]", "}"):
			if i = f.opener(i); i < 0 {
				return -1, 0
			}
		case f.isSymbol(i, "(", "[", "{"):
			return i, commas
		case f.isSymbol(i, ",", ";"):
			commas++
		case f.tokens[i].kind == keywordToken && f.tokens[i].text == "function":
			// Inside the body of a function, the brackets around it say nothing.
			return -1, 0
		}
	}
	return -1, 0
}

// before returns the chain that ends with token i.
func (f *inference) before(i int) chain {
	start, ok := f.start(i)
	if !ok {
		return chain{}
	}
	c, end := f.follow(start, i+1)
	if end != i+1 {
		return chain{}
	}
	return c
}

// start finds the first token of the chain that ends with token i.
func (f *inference) start(i int) (int, bool) {
	for f.endsExpression(i) {
		switch {
		case f.tokens[i].kind == nameToken:
			if !f.isSymbol(i-1, ".", ":") {
				return i, true
			}
			i -= 2
		case f.tokens[i].kind == stringToken:
			if !f.endsExpression(i - 1) {
				return i, true
			}
			i--
		default:
			open := f.opener(i)
			if open < 0 {
				return 0, false
			}
			if !f.endsExpression(open - 1) {
				return open, true
			}
			i = open - 1
		}
	}
	return 0, false
}

// follow walks a chain from its first token as far as it goes, but not to the token at limit. It returns where it has
// stopped.
func (f *inference) follow(i, limit int) (chain, int) {
	c, i := f.primary(i)
	for i < limit {
		switch {
		case f.isSymbol(i, ".") && i+1 < limit && f.tokens[i+1].kind == nameToken:
			c = chain{shape: c.shape.Field(f.tokens[i+1].text)}
			c.fn = c.shape.Function()
			i += 2
		case f.isSymbol(i, ":") && i+1 < limit && f.tokens[i+1].kind == nameToken:
			c = chain{fn: c.shape.Method(f.tokens[i+1].text)}
			i += 2
		case f.isSymbol(i, "["):
			end := f.closer(i)
			if end < 0 || end >= limit {
				return c, i
			}
			c = chain{shape: c.shape.Item(f.key(i+1, end))}
			c.fn = c.shape.Function()
			i = end + 1
		case f.isSymbol(i, "(", "{"), f.tokens[i].kind == stringToken:
			end := i
			if f.tokens[i].kind != stringToken {
				if end = f.closer(i); end < 0 || end >= limit {
					return c, i
				}
			}
			c = f.called(c, i)
			i = end + 1
		default:
			return c, i
		}
	}
	return c, i
}

// called is the result of calling what c has led to with the arguments from token i on.
func (f *inference) called(c chain, i int) chain {
	if c.name == "require" {
		if f.isSymbol(i, "(") {
			i++
		}
		if f.tokens[i].kind == stringToken {
			return chain{shape: f.global(f.tokens[i].text)}
		}
	}
	result := chain{shape: c.shape.Result(c.fn)}
	result.fn = result.shape.Function()
	return result
}

// closer returns the bracket that closes the one at i, -1 if none does.
func (f *inference) closer(i int) int {
	depth := 0
	for ; i < len(f.tokens); i++ {
		switch {
		case f.isSymbol(i, "(", "[", "{"):
			depth++
		case f.isSymbol(i, ")", "]", "}"):
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// key is the key between the brackets around tokens from to end, nil if it is not a plain string or number.
func (f *inference) key(from, end int) any {
	if end != from+1 {
		return nil
	}
	switch t := f.tokens[from]; t.kind {
	case stringToken:
		return t.text
	case numberToken:
		if n, err := strconv.ParseFloat(t.text, 64); err == nil {
			return n
		}
	}
	return nil
}

// primary is the beginning of a chain: a name, a string, or an expression in parentheses.
func (f *inference) primary(i int) (chain, int) {
	switch t := f.tokens[i]; {
	case t.kind == nameToken:
		c := chain{shape: f.variable(t.text, i), name: t.text}
		c.fn = c.shape.Function()
		return c, i + 1
	case t.kind == stringToken:
		return chain{shape: api.ShapeOfString(f.host.State())}, i + 1
	case f.isSymbol(i, "("):
		end := f.closer(i)
		if end < 0 {
			break
		}
		inner, stop := f.follow(i+1, end)
		if stop != end {
			inner = chain{}
		}
		return chain{shape: inner.shape, fn: inner.fn}, end + 1
	}
	return chain{}, i + 1
}

// variable is what a name stands for at token i: what it was last assigned in the text before, or a global. A name that
// is neither may be a parameter. By convention a parameter is called what it holds: function(cpu) gets a CPU.
func (f *inference) variable(name string, i int) api.Shape {
	if f.depth < deepestInference {
		for k := i - 2; k >= 0; k-- {
			if f.tokens[k].kind == nameToken && f.tokens[k].text == name && f.isSymbol(k+1, "=") &&
				!f.isSymbol(k-1, ".", ":", ",", "{") && k+2 < i {
				f.depth++
				c, _ := f.follow(k+2, i)
				f.depth--
				if c.shape.Known() {
					return c.shape
				}
			}
		}
	}
	if s := f.global(name); s.Known() {
		return s
	}
	for _, c := range f.host.Reference().Classes {
		if strings.EqualFold(c.Name, name) {
			return api.ShapeOfClass(f.host.State(), c)
		}
	}
	return api.Shape{}
}

func (f *inference) global(name string) api.Shape {
	return api.ShapeOf(f.host.State(), f.host.Global(name))
}

// expected is the description of the value that begins at token i: of a function's argument, or of an entry of an
// option table. Positions of a table have no description of their own, only options.
func (f *inference) expected(i int) (param *api.Param, options *api.Schema) {
	if f.endsExpression(i - 1) {
		return parameter(f.before(i-1).fn, 0)
	}
	if f.isSymbol(i-1, "=") && i >= 2 && f.tokens[i-2].kind == nameToken {
		bracket, _ := f.enclosing(i - 2)
		if !f.isSymbol(bracket, "{") {
			return nil, nil
		}
		if s := f.tableOptions(bracket); s != nil {
			if p := s.Option(f.tokens[i-2].text); p != nil {
				return p, p.Options()
			}
		}
		return nil, nil
	}
	if !f.isSymbol(i-1, "(", ",", "{", ";") {
		return nil, nil
	}
	bracket, commas := f.enclosing(i)
	switch {
	case f.isSymbol(bracket, "("):
		return parameter(f.before(bracket-1).fn, commas)
	case f.isSymbol(bracket, "{"):
		if s := f.tableOptions(bracket); s != nil {
			return nil, s.ItemOptions()
		}
	}
	return nil, nil
}

// tableOptions is what the table that begins at token i can hold.
func (f *inference) tableOptions(i int) *api.Schema {
	_, options := f.expected(i)
	return options
}

func parameter(fn *api.Func, n int) (*api.Param, *api.Schema) {
	if fn == nil || len(fn.Params) == 0 {
		return nil, nil
	}
	if n >= len(fn.Params) {
		if n = len(fn.Params) - 1; !fn.Params[n].Variadic {
			return nil, nil
		}
	}
	return &fn.Params[n], fn.Params[n].Options()
}
