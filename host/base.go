package host

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// openLibraries makes the globals: those functions of the standard libraries that can neither reach outside nor show
// what differs from run to run, and our own in place of some. The tables are filled in sorted order, because pairs
// shows the order of insertion, and the library's own comes from a Go map.
func (h *Host) openLibraries() {
	L := h.state
	for _, open := range []lua.LGFunction{
		lua.OpenBase, lua.OpenTable, lua.OpenString, lua.OpenMath, lua.OpenCoroutine,
	} {
		L.Push(L.NewFunction(open))
		L.Call(0, 0)
	}
	original := L.G.Global
	member := func(library, name string) lua.LValue {
		return original.RawGetString(library).(*lua.LTable).RawGetString(name)
	}
	h.globals = L.NewTable()
	fill(L, h.globals, original, []string{
		"assert", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget", "type", "_VERSION",
	}, map[string]lua.LGFunction{
		"collectgarbage": collectGarbage, "error": raiseError, "load": h.load, "loadstring": h.load, "pcall": pcall,
		"print": h.print, "rawset": rawSet, "require": h.require,
		"select": portable(original.RawGetString("select"), 0, 1), "setmetatable": setMetatable, "tonumber": toNumber,
		"tostring": toString, "unpack": unpack(portable(original.RawGetString("unpack"), 0, 2, 3)), "xpcall": xpcall,
	})
	h.addLibrary(original, "coroutine", nil, map[string]lua.LGFunction{
		"create": coroutineCreate, "resume": coroutineResume, "running": coroutineRunning, "status": coroutineStatus,
		"wrap": coroutineWrap, "yield": coroutineYield,
	})
	coroutines := h.globals.RawGetString("coroutine").(*lua.LTable)
	coroutines.RawSetString("yield", wrapInLua(L, yieldHelper, coroutines.RawGetString("yield")))
	h.addLibrary(original, "math", []string{
		"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod", "frexp",
		"log", "log10", "max", "min", "modf", "pi", "pow", "rad", "sin", "sinh", "sqrt", "tan", "tanh",
	}, map[string]lua.LGFunction{
		"ldexp": portable(member("math", "ldexp"), 0, 2), "random": h.mathRandom, "randomseed": h.mathRandomSeed,
	})
	h.globals.RawGetString("math").(*lua.LTable).RawSetString("huge", lua.LNumber(math.Inf(1)))
	h.addLibrary(original, "string", nil, map[string]lua.LGFunction{
		"byte": portable(member("string", "byte"), 1, 2, 3), "char": stringChar, "find": stringFind,
		"format": stringFormat, "gmatch": stringGmatch, "gsub": stringGsub, "len": portable(member("string", "len"), 1),
		"lower": stringLower, "match": stringMatch, "rep": stringRep, "reverse": stringReverse,
		"sub": portable(member("string", "sub"), 1, 2, 3), "upper": stringUpper,
	})
	h.addLibrary(original, "table", []string{"getn", "maxn"}, map[string]lua.LGFunction{
		"concat": tableConcat, "insert": tableInsert, "remove": portable(member("table", "remove"), 0, 2), "sort": tableSort,
	})

	ofStrings := L.NewTable()
	ofStrings.RawSetString("__index", h.globals.RawGetString("string"))
	ofStrings.RawSetString("__metatable", lua.LString("string"))
	L.SetMetatable(lua.LString(""), ofStrings)

	arg := L.NewTable()
	for _, a := range h.opts.Args {
		arg.Append(lua.LString(a))
	}
	h.globals.RawSetString("arg", arg)
	for _, f := range Globals() {
		h.globals.RawSetString(f.Name, api.NewGlobal(L, f))
	}
	h.globals.RawSetString("_G", h.globals)
	h.makeStrict()
	L.G.Global, L.Env = h.globals, h.globals
}

// addLibrary makes the global table name of functions kept from the original and of our own.
func (h *Host) addLibrary(original *lua.LTable, name string, kept []string, own map[string]lua.LGFunction) {
	library := h.state.NewTable()
	fill(h.state, library, original.RawGetString(name).(*lua.LTable), kept, own)
	h.globals.RawSetString(name, library)
	if h.library == nil {
		h.library = map[string]*lua.LTable{}
	}
	h.library[name] = library
}

func fill(L *lua.LState, into, from *lua.LTable, kept []string, own map[string]lua.LGFunction) {
	names := append([]string(nil), kept...)
	for name := range own {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if fn := own[name]; fn != nil {
			into.RawSetString(name, L.NewFunction(fn))
			continue
		}
		into.RawSetString(name, from.RawGetString(name))
	}
}

// makeStrict turns the reading of undefined globals, and their creation inside functions, into errors. Both are nearly
// always a misspelt name or a forgotten local.
func (h *Host) makeStrict() {
	mt := h.state.NewTable()
	mt.RawSetString("__metatable", lua.LString("_G"))
	mt.RawSetString("__index", h.state.NewFunction(func(L *lua.LState) int {
		name := api.Clip(plainString(L, L.Get(2)), maxName)
		if h.declared[name] {
			L.Push(lua.LNil)
			return 1
		}
		if h.modules[name] != nil {
			L.RaiseError("undefined global %q; it is a module: local %s = require %q", name, name, name)
		}
		L.RaiseError("undefined global %q%s", name, suggestion(name, h.globalNames()))
		return 0
	}))
	mt.RawSetString("__newindex", h.state.NewFunction(func(L *lua.LState) int {
		if name, ok := L.Get(2).(lua.LString); ok && !h.declared[string(name)] && !calledFromMainChunk(L) {
			L.RaiseError("assignment to undefined global %q inside a function; is a local missing?",
				api.Clip(string(name), maxName))
		}
		L.RawSet(L.Get(1).(*lua.LTable), L.Get(2), L.Get(3))
		return 0
	}))
	h.globals.Metatable = mt
}

func suggestion(name string, candidates []string) string {
	if s := api.Suggest(name, candidates); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

func (h *Host) globalNames() []string {
	var names []string
	h.globals.ForEach(func(k, _ lua.LValue) {
		if s, ok := k.(lua.LString); ok {
			names = append(names, string(s))
		}
	})
	return names
}

// calledFromMainChunk reports whether what called the running Go function is the body of a source text, or Go code.
func calledFromMainChunk(L *lua.LState) bool {
	frame, ok := L.GetStack(1)
	if !ok {
		return true
	}
	if _, err := L.GetInfo("S", frame, nil); err != nil {
		return false
	}
	return frame.Source != "" && frame.LineDefined == 0
}

// plainString returns the text of v: what __tostring, written in Lua, says, otherwise what api.ToString says.
func plainString(L *lua.LState, v lua.LValue) string {
	if _, ok := v.(*lua.LTable); ok {
		if fn, ok := L.GetMetaField(v, "__tostring").(*lua.LFunction); ok && !fn.IsG {
			L.Push(fn)
			L.Push(v)
			L.Call(1, 1)
			text, ok := L.Get(-1).(lua.LString)
			L.Pop(1)
			if !ok {
				L.RaiseError("__tostring must return a string")
			}
			return string(text)
		}
	}
	return api.ToString(v)
}

func toString(L *lua.LState) int {
	L.Push(lua.LString(plainString(L, L.CheckAny(1))))
	return 1
}

// print writes its arguments, separated by tabs. If writing fails, as to a closed pipe, the script ends.
func (h *Host) print(L *lua.LState) int {
	line := newText(L)
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			line.add("\t")
		}
		line.add(h.printed(L, L.Get(i)))
	}
	line.add("\n")
	api.Boundary(L)
	h.write(L, line.join())
	return 0
}

// printed is what print shows of a value: at the prompt, a table with its contents.
func (h *Host) printed(L *lua.LState, v lua.LValue) string {
	text := plainString(L, v)
	if h.width != nil && v.Type() == lua.LTTable && text == v.Type().String() {
		return api.Pretty(h.width(), v)
	}
	return text
}

// Globals describes the global functions that Lua 5.1 does not have.
func Globals() []*api.Func { return []*api.Func{&inspectFunc} }

var inspectFunc = api.Func{
	Name: "inspect", Doc: "What the prompt shows of values, in one line: tables with what is in them.",
	Params: []api.Param{{
		Name: "values", Type: api.Any(), Doc: "any values", Default: "nothing", Optional: true, Variadic: true,
	}},
	Returns: []api.Param{api.P("text", api.String(), "separated by spaces")},
	Example: `inspect({ 1, "two", { three = 3 } })`, Fn: inspect,
}

func inspect(L *lua.LState) int {
	values := make([]lua.LValue, L.GetTop())
	for i := range values {
		values[i] = L.Get(i + 1)
	}
	L.Push(lua.LString(api.InspectFor(L, values...)))
	return 1
}

// write writes to standard output. If that fails, the script ends.
func (h *Host) write(L *lua.LState, text string) {
	if h.muted {
		return
	}
	if h.noted != nil { // out of turn: see Attempt
		h.early = true
		return
	}
	if _, err := h.opts.Stdout.Write([]byte(text)); err != nil {
		scopeOf(L).Abort(killed{err})
	}
}

// raiseError is Lua's error. The library's takes level 2, the caller of the function that calls error, for level 1.
func raiseError(L *lua.LState) int {
	value, level := L.CheckAny(1), optIntAt(L, 2, 1)
	if text, ok := value.(lua.LString); ok && level > 0 {
		value = lua.LString(placeAt(L, level)) + text
	}
	L.Error(value, 0)
	return 0
}

// toNumber reads numbers as Lua does, but refuses to round integers.
func toNumber(L *lua.LState) int {
	base := 10
	if L.Get(2) != lua.LNil {
		base = intAt(L, 2)
		if base < 2 || base > 36 {
			L.RaiseError("tonumber: argument 2 %q: expected integer in 2..36, got %s", "base", api.ToString(L.Get(2)))
		}
	}
	switch v := L.CheckAny(1).(type) {
	case lua.LNumber:
		L.Push(v)
	case lua.LString:
		n, ok := parseNumber(L, strings.TrimSpace(string(v)), base)
		if !ok {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(n)
	default:
		n, ok := api.ToU64(v)
		switch {
		case !ok:
			L.Push(lua.LNil)
		case n > maxExact:
			inexact(L, api.U64Value(n).String())
		default:
			L.Push(lua.LNumber(n))
		}
	}
	return 1
}

const maxExact = 1 << 53

func inexact(L *lua.LState, text string) {
	L.RaiseError("tonumber: %s is beyond 2^53, where Lua numbers stop being exact; use u64", api.Clip(text, maxName))
}

func parseNumber(L *lua.LState, text string, base int) (lua.LNumber, bool) {
	const longest = 4096
	if len(text) > longest {
		return 0, false // there is no such number, but millions of digits take their time
	}
	digits, negative := strings.CutPrefix(text, "-")
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok && (base == 10 || base == 16) {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	switch {
	case err == nil && n <= maxExact:
		if negative {
			return -lua.LNumber(n), true
		}
		return lua.LNumber(n), true
	case err == nil || strings.Contains(err.Error(), strconv.ErrRange.Error()):
		inexact(L, text)
	case base == 10 && strings.Trim(digits, "0123456789.eE+-") == "":
		f, err := strconv.ParseFloat(text, 64)
		return lua.LNumber(f), err == nil
	}
	return 0, false
}

// setMetatable is for tables only: a script must not change what strings or our objects do.
func setMetatable(L *lua.LState) int {
	table := L.CheckTable(1)
	L.CheckTypes(2, lua.LTNil, lua.LTTable)
	if L.GetMetaField(table, "__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	table.Metatable = L.Get(2)
	L.SetTop(1)
	return 1
}

// collectGarbage keeps scripts working that call it. What it could tell depends on the machine it runs on.
func collectGarbage(L *lua.LState) int {
	switch what := optStringAt(L, 1, "collect"); what {
	case "collect", "step", "restart", "stop":
		api.PushInt(L, 0)
	default:
		L.RaiseError("collectgarbage: %q is not supported: memory use differs from run to run",
			api.Clip(what, maxName))
	}
	return 1
}

// maxLoad is the longest text that load compiles. If every character of it opens something, the parser takes some 30 ms
// for it and, while its stack is doubled, 26 MiB.
const maxLoad = 1 << 16

// load compiles text, which is a string or comes in pieces from a function. There are no binary chunks.
func (h *Host) load(L *lua.LState) int {
	text, ok := L.Get(1).(lua.LString)
	if !ok {
		text = lua.LString(readPieces(L, L.CheckFunction(1)))
	}
	if len(text) > maxLoad {
		L.RaiseError("load: a text of %d bytes: at most %s can be loaded", len(text), bytesText(maxLoad))
	}
	name := optStringAt(L, 2, "=load")
	if strings.HasPrefix(name, "=") || strings.HasPrefix(name, "@") {
		name = name[1:] // says in Lua that the rest is no source text, but a name
	}
	fn, err := h.compileIn(L, api.Clip(name, maxName), string(text))
	if err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	L.Push(fn)
	return 1
}

func readPieces(L *lua.LState, reader *lua.LFunction) string {
	text := newText(L)
	for text.length <= maxLoad {
		L.Push(reader)
		L.Call(0, 1)
		piece, ok := L.Get(-1).(lua.LString)
		if !ok && L.Get(-1) != lua.LNil {
			L.RaiseError("load: the reader function must return a string")
		}
		L.Pop(1)
		if piece == "" {
			break
		}
		text.add(string(piece))
	}
	return text.join()
}

// pcall is Lua's; it differs in that messages show no addresses, and in that it does not hold up the end of a script.
// The next instruction would raise again, see scope; but each pcall would then have to be reached and left.
func pcall(L *lua.LState) int {
	L.CheckAny(1)
	if err := scopeOf(L).protectedCall(L, L.GetTop()-1, true); err != nil {
		return pushFailure(L, err)
	}
	L.Insert(lua.LTrue, 1)
	return L.GetTop()
}

// xpcall is Lua's, with the handler's results where the error would be. The handler runs after the stack has been
// unwound: without the debug library nothing can tell, and it has all of the stack if that was what overflowed.
func xpcall(L *lua.LState) int {
	fn, handler := L.Get(1), L.CheckFunction(2)
	L.SetTop(0)
	L.Push(fn)
	s := scopeOf(L)
	err := s.protectedCall(L, 0, true)
	if err == nil {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	pushFailure(L, err)
	failure := L.Get(-1)
	L.SetTop(0)
	L.Push(handler)
	L.Push(failure)
	if err := s.protectedCall(L, 1, true); err != nil {
		return pushFailure(L, err)
	}
	L.SetTop(1)
	L.Insert(lua.LFalse, 1)
	return 2
}

// pushFailure pushes what pcall returns of an error. If the thread is to end, it raises the error again.
func pushFailure(L *lua.LState, err error) int {
	passOn(L, err)
	L.Push(lua.LFalse)
	L.Push(errorObject(err.(*lua.ApiError).Object))
	return 2
}

// passOn raises err, with which a protected call came back, again if the thread is to end.
func passOn(L *lua.LState, err error) {
	s, raised := scopeOf(L), err.(*lua.ApiError)
	if s.Err() == nil {
		return
	}
	if raised.StackTrace == noTrace {
		raised.StackTrace = s.traceback(L)
	}
	panic(raised)
}

// errorObject returns what a script may see of an error.
func errorObject(v lua.LValue) lua.LValue {
	if text, ok := v.(lua.LString); ok {
		return lua.LString(withoutAddresses(string(text)))
	}
	return v
}
