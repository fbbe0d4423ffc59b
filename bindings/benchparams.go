package bindings

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// ErrDescribed ends a script of which only the parameters are wanted (Session.DescribeOnly).
var ErrDescribed = errors.New("the script ended after its parameters were known")

var paramsFunc = api.Func{
	Name: "params",
	Doc: "Declares the script's parameters, which `hwscript run -p name=value` sets, and returns their values. " +
		"A default gives the type: string, integer, number, boolean, or list of strings (given as a,b,c). " +
		"A table { default, doc = ..., choices = ..., min = ..., max = ..., type = \"number\" } says more.",
	Params: []api.Param{
		api.P("declarations", api.OptionsOf(&api.Schema{
			Name: "bench.params", Doc: "Parameters by name.", Others: &anyType,
		}), "default or description of each parameter"),
	},
	Returns: []api.Param{api.P("values", api.Table(), "the value of each parameter; any other name is an error")},
	Example: `local p = bench.params { iters = 1000, runs = { 10, min = 1, doc = "runs of each case" } }`,
	Fn:      benchParams,
}

var anyType = api.Any()

// paramName is the form of a parameter's name: it is a key of the Go benchmark format too, which are in lower case.
var paramName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func benchParams(L *lua.LState) int {
	s := session(L)
	if s.hasParams && !s.Interactive {
		api.Errorf(L, "bench.params was called before; declare all parameters at once")
	}
	s.hasParams, s.declared = true, nil
	for key, v := range entries(api.TableAt(L, 1)) { // in the order in which the script lists them
		p, err := declare(string(key.(lua.LString)), v)
		if err != nil {
			api.Errorf(L, "bench.params: %s: %v", key, err)
		}
		s.declared = append(s.declared, p)
	}
	s.describing(L)
	values, err := resolve(s.declared, host.Of(L).Params())
	if err != nil {
		api.Raise(L, &host.UsageError{Msg: err.Error()})
	}
	if s.Interactive {
		s.Report.Reset()
	}
	s.Report.Params = nil
	out := L.NewTable()
	for i, p := range s.declared {
		s.Report.Params = append(s.Report.Params, result.Param{Name: p.Name, Value: values[i]})
		out.RawSetString(p.Name, luaValue(L, values[i]))
	}
	out.Metatable = strictParams(L, s.declared)
	L.Push(out)
	return 1
}

// strictParams makes the metatable with which reading a parameter that was not declared is an error.
func strictParams(L *lua.LState, declared []Param) *lua.LTable {
	names := make([]string, len(declared))
	for i, p := range declared {
		names[i] = p.Name
	}
	mt := L.NewTable()
	mt.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		api.Errorf(L, "%v", unknownParam(api.ToString(L.Get(2)), names))
		return 0
	}))
	return mt
}

func luaValue(L *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case bool:
		return lua.LBool(v)
	case []string:
		t := L.NewTable()
		for _, element := range v {
			t.Append(lua.LString(element))
		}
		return t
	}
	panic(fmt.Sprintf("BUG: parameter value of type %T", v))
}

// declare reads the declaration of one parameter: its default, or a table that describes it.
func declare(name string, v lua.LValue) (Param, error) {
	p := Param{Name: name}
	if !paramName.MatchString(name) {
		return p, errors.New("a name has lower-case letters, digits and underscores")
	}
	def := v
	if t, ok := v.(*lua.LTable); ok && isDescription(t) {
		def = t.RawGetInt(1)
		if err := p.describe(t); err != nil {
			return p, err
		}
	}
	if err := p.setDefault(def); err != nil {
		return p, err
	}
	if (p.Min != nil || p.Max != nil) && p.Kind != IntParam && p.Kind != NumberParam {
		return p, fmt.Errorf("min and max are for numbers, and the default is a %v", p.Kind)
	}
	if p.Choices != nil && p.Kind != StringParam && p.Kind != ListParam {
		return p, fmt.Errorf("choices are for strings and lists, and the default is a %v", p.Kind)
	}
	if err := p.check(p.Default); err != nil {
		return p, fmt.Errorf("default: %w", err)
	}
	return p, nil
}

// isDescription tells { default, doc = ... } from a list of strings that is a default itself.
func isDescription(t *lua.LTable) bool {
	for key, v := range entries(t) {
		if key.Type() != lua.LTNumber || v.Type() != lua.LTString {
			return true
		}
	}
	return t.Len() == 0
}

// entries iterates over a table as Lua's pairs does, in the order of insertion; LTable.ForEach has a random order.
func entries(t *lua.LTable) iter.Seq2[lua.LValue, lua.LValue] {
	return func(yield func(key, value lua.LValue) bool) {
		for key, v := t.Next(lua.LNil); key != lua.LNil; key, v = t.Next(key) {
			if !yield(key, v) {
				return
			}
		}
	}
}

func (p *Param) setDefault(v lua.LValue) error {
	switch v := v.(type) {
	case lua.LString:
		p.Kind, p.Default = StringParam, string(v)
	case lua.LBool:
		p.Kind, p.Default = BoolParam, bool(v)
	case lua.LNumber:
		f := float64(v)
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return fmt.Errorf("default: %v is not a number", v)
		case p.Kind == NumberParam || f != math.Trunc(f):
			p.Kind, p.Default = NumberParam, f
		case math.Abs(f) > maxExact:
			return fmt.Errorf("default: %v is beyond the exact range of Lua numbers", v)
		default:
			p.Kind, p.Default = IntParam, int64(v)
		}
	case *lua.LTable:
		list, err := stringList(v)
		if err != nil {
			return fmt.Errorf("default: %w", err)
		}
		p.Kind, p.Default = ListParam, list
	default:
		return fmt.Errorf("default: expected a string, number, boolean or list of strings, got %s", v.Type())
	}
	return nil
}

// describe reads the named entries of a declaration.
func (p *Param) describe(t *lua.LTable) error {
	if t.Len() != 1 {
		return errors.New("expected { default, doc = ..., ... }, with the default first and nothing else unnamed")
	}
	for key, v := range entries(t) {
		if key == lua.LNumber(1) {
			continue
		}
		if err := p.describeEntry(api.ToString(key), v); err != nil {
			return err
		}
	}
	return nil
}

func (p *Param) describeEntry(name string, v lua.LValue) error {
	number, isNumber := v.(lua.LNumber)
	text, isText := v.(lua.LString)
	bound := float64(number)
	switch {
	case name == "doc" && isText:
		p.Doc = string(text)
	case name == "min" && isNumber:
		p.Min = &bound
	case name == "max" && isNumber:
		p.Max = &bound
	case name == "type" && text == "number":
		p.Kind = NumberParam
	case name == "type":
		return errors.New("type: the only type to be given is \"number\", for a default that happens to be an integer")
	case name == "choices":
		t, ok := v.(*lua.LTable)
		if !ok {
			return fmt.Errorf("choices: expected a list of strings, got %s", v.Type())
		}
		list, err := stringList(t)
		if err != nil {
			return fmt.Errorf("choices: %w", err)
		}
		p.Choices = list
	case name == "doc":
		return fmt.Errorf("doc: expected a string, got %s", v.Type())
	case name == "min" || name == "max":
		return fmt.Errorf("%s: expected a number, got %s", name, v.Type())
	default:
		return fmt.Errorf("no entry %q%s", name, hint(name, []string{"doc", "choices", "min", "max", "type"}))
	}
	return nil
}

func stringList(t *lua.LTable) ([]string, error) {
	var list []string
	for key, v := range entries(t) {
		s, ok := v.(lua.LString)
		if !ok || key.Type() != lua.LTNumber {
			return nil, fmt.Errorf("expected a list of strings, got an entry of type %s", v.Type())
		}
		list = append(list, string(s))
	}
	if len(list) == 0 {
		return nil, errors.New("expected a list of strings, got an empty table")
	}
	return list, nil
}
