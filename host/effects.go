package host

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// An EffectKind is a kind of Effect.
type EffectKind uint8

// The kinds.
const (
	Assigns EffectKind = iota // a variable: a global, or a local of the text around
	Changes                   // a table, or an object, that such a variable leads to
	Prints                    // by print
)

// An Effect is something that a function does to what lies outside of it.
type Effect struct {
	Kind EffectKind
	Name string // of the variable; of Changes: that which leads to what is changed
	File string
	Line int
}

// String is the effect as part of a sentence whose subject is the function.
func (e Effect) String() string {
	switch e.Kind {
	case Assigns:
		return fmt.Sprintf("assigns %s (%s:%d)", e.Name, e.File, e.Line)
	case Changes:
		return fmt.Sprintf("changes %s (%s:%d)", e.Name, e.File, e.Line)
	}
	return fmt.Sprintf("prints (%s:%d)", e.File, e.Line)
}

// Effects returns what fn does to what lies outside of it, in the order of the text: itself, by functions that it
// makes, and by functions of the script that it calls or hands on. It reads the compiled code from top to bottom,
// without regard to what is executed. It does not see changes by metamethods, nor of tables that reach the function by
// way of results, "or" and coroutines.
func (h *Host) Effects(fn *lua.LFunction) []Effect {
	w := &effects{host: h, seen: map[visit]bool{}}
	w.function(fn, nil)
	return w.found
}

// A source is what is known of a value in a register or variable.
type source struct {
	name    string // of the variable from which it comes; "": a temporary
	outside bool   // it was there before the function was called: to change it is an effect
	value   lua.LValue
}

// A captured is a variable of the text around a function.
type captured struct {
	source
	outer bool // around the function whose effects are looked for: to assign it is an effect
}

// A visit is a function with the arguments that were there before, as bits.
type visit struct {
	proto   *lua.FunctionProto
	outside uint64
}

type effects struct {
	host  *Host
	seen  map[visit]bool
	found []Effect
}

// function looks at a function of the script that is called with arguments.
func (w *effects) function(fn *lua.LFunction, args []source) {
	if fn.IsG {
		return
	}
	variables := make([]captured, len(fn.Upvalues))
	for i, up := range fn.Upvalues {
		variables[i] = captured{source{name: fn.Proto.DbgUpvalues[i], outside: true, value: up.Value()}, true}
	}
	w.body(fn.Proto, variables, args)
}

// frame is one function while its code is read.
type frame struct {
	*effects
	proto     *lua.FunctionProto
	variables []captured
	registers [256 + 5]source // a call's results, and a loop's variables, may lie beyond the last
	pc        int
}

func (w *effects) body(proto *lua.FunctionProto, variables []captured, args []source) {
	v := visit{proto: proto}
	for i := range min(len(args), 64, int(proto.NumParameters)) {
		if args[i].outside {
			v.outside |= 1 << i
		}
	}
	if w.seen[v] {
		return
	}
	w.seen[v] = true
	f := &frame{effects: w, proto: proto, variables: variables}
	copy(f.registers[:proto.NumParameters], args)
	for f.pc = 0; f.pc < len(proto.Code); f.pc++ {
		f.instruction(proto.Code[f.pc])
	}
}

// operands of an instruction, as the virtual machine reads them.
func operands(inst uint32) (op, a, b, c, bx int) {
	return int(inst >> 26), int(inst>>18) & 0xff, int(inst & 0x1ff), int(inst>>9) & 0x1ff, int(inst & 0x3ffff)
}

// constant is the constant that an operand names, nil if it names a register.
func (f *frame) constant(operand int) lua.LValue {
	const isConstant = 1 << 8
	if operand&isConstant == 0 {
		return nil
	}
	return f.proto.Constants[operand&^isConstant]
}

func (f *frame) instruction(inst uint32) {
	op, a, b, c, bx := operands(inst)
	r := &f.registers
	switch op {
	case lua.OP_MOVE, lua.OP_MOVEN:
		r[a] = r[b]
	case lua.OP_GETUPVAL:
		r[a] = f.variables[b].source
	case lua.OP_GETGLOBAL:
		name := f.proto.Constants[bx].String()
		r[a] = source{name, true, f.host.globals.RawGetString(name)}
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
		r[a] = r[b].field(f.constant(c))
	case lua.OP_SELF:
		r[a], r[a+1] = r[b].field(f.constant(c)), r[b]
	case lua.OP_SETGLOBAL:
		f.add(Assigns, f.proto.Constants[bx].String())
	case lua.OP_SETUPVAL:
		if v := f.variables[b]; v.outer {
			f.add(Assigns, v.name)
		}
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		if r[a].outside {
			f.add(Changes, r[a].name)
		}
	case lua.OP_CLOSURE:
		f.closure(a, f.proto.FunctionPrototypes[bx])
	case lua.OP_CALL, lua.OP_TAILCALL:
		f.call(a, b)
	case lua.OP_LOADNIL:
		clear(r[a : b+1])
	case lua.OP_FORLOOP, lua.OP_FORPREP:
		clear(r[a : a+4])
	case lua.OP_TESTSET:
		if r[b].outside {
			r[a] = r[b]
		}
	case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_JMP, lua.OP_RETURN, lua.OP_SETLIST, lua.OP_CLOSE,
		lua.OP_NOP, lua.OP_TFORLOOP:
	default: // a value of its own
		r[a] = source{}
	}
}

// field is what is known of an entry.
func (s source) field(key lua.LValue) source {
	if !s.outside {
		return source{}
	}
	entry := source{name: s.name, outside: true}
	if t, ok := s.value.(*lua.LTable); ok && key != nil {
		entry.value = t.RawGet(key)
	}
	return entry
}

func (f *frame) add(kind EffectKind, name string) {
	e := Effect{kind, name, f.proto.SourceName, f.proto.DbgSourcePositions[f.pc]}
	if !slices.Contains(f.found, e) {
		f.found = append(f.found, e)
	}
}

// closure looks at a function where it is made, as if it were called there. What follows are its variables.
func (f *frame) closure(a int, proto *lua.FunctionProto) {
	variables := make([]captured, proto.NumUpvalues)
	for i := range variables {
		f.pc++
		op, _, b, _, _ := operands(f.proto.Code[f.pc])
		if op == lua.OP_GETUPVAL {
			variables[i] = f.variables[b]
			continue
		}
		variables[i] = captured{source: f.registers[b]}
	}
	f.registers[a] = source{}
	f.body(proto, variables, nil)
}

// call looks at the function that is called, and at those among its arguments.
func (f *frame) call(a, b int) {
	callee, args := f.registers[a], f.registers[a+1:]
	if b > 0 {
		args = args[:b-1]
	}
	args = slices.Clone(args)
	clear(f.registers[a:])
	fn, ok := callee.value.(*lua.LFunction)
	if ok && !fn.IsG {
		f.function(fn, args)
		return
	}
	for _, arg := range args {
		passed, ok := arg.value.(*lua.LFunction)
		if ok && f.host.effectOf[passed] == printing {
			f.add(Prints, "")
		} else if ok {
			f.function(passed, nil)
		}
	}
	if !ok || len(args) == 0 {
		return
	}
	switch f.host.effectOf[fn] {
	case printing:
		f.add(Prints, "")
	case changing:
		if args[0].outside {
			f.add(Changes, args[0].name)
		}
	case passing:
		for i := range 5 { // of a loop: function, table, key, and the two variables of its body, which comes next
			f.registers[a+i] = args[0].field(nil)
		}
	}
}

// effectOf says what some functions of the libraries do, as far as it matters here.
type libraryEffect uint8

const (
	_         libraryEffect = iota
	printing                // writes to standard output
	changing                // changes its first argument
	passing                 // its results contain its first argument, or entries of it
	loading                 // its result can use all globals
	requiring               // its result is what a file has made
)

// libraryEffects finds the functions in question among the globals.
func libraryEffects(globals *lua.LTable) map[*lua.LFunction]libraryEffect {
	found := map[*lua.LFunction]libraryEffect{}
	note := func(from *lua.LTable, effect libraryEffect, names ...string) {
		for _, name := range names {
			found[from.RawGetString(name).(*lua.LFunction)] = effect
		}
	}
	note(globals, printing, "print")
	note(globals, loading, "load", "loadstring")
	note(globals, requiring, "require")
	note(globals, changing, "rawset", "setmetatable")
	note(globals.RawGetString("table").(*lua.LTable), changing, "insert", "remove", "sort")
	note(globals, passing, "assert", "ipairs", "next", "pairs", "rawget", "unpack")
	return found
}
