package host

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Reference returns what help knows: the descriptors of the host's modules.
func (h *Host) Reference() *api.Reference {
	if h.reference == nil {
		h.reference = api.NewReference(h.opts.Modules, Globals())
	}
	return h.reference
}

// EnableHelp is for a prompt: there print shows what is in tables, and the global function help tells what is known:
// help() prints an overview and then more, help(x) is about a value or a name. width tells the number of columns.
func (h *Host) EnableHelp(width func() int, more string) {
	h.width = width
	h.globals.RawSetString("help", h.state.NewFunction(func(L *lua.LState) int {
		text := h.Reference().Overview(width()) + more
		if L.GetTop() > 0 {
			text = h.helpAbout(L, L.Get(1), width())
		}
		api.Boundary(L)
		h.write(L, text)
		return 0
	}))
	h.predefined["help"] = true
}

// helpAbout is what help prints about a value.
func (h *Host) helpAbout(L *lua.LState, v lua.LValue, width int) string {
	if entry, ok := h.Reference().Of(L, v); ok {
		return entry.Text(width)
	}
	switch v := v.(type) {
	case lua.LString:
		if s := h.Reference().Suggest(string(v)); s != "" {
			L.RaiseError("help: nothing is known about %q; did you mean %q?", string(v), s)
		}
		L.RaiseError("help: nothing is known about %q; help() lists what there is", string(v))
	case *lua.LFunction:
		return describeFunction(v)
	}
	return fmt.Sprintf("%s %s\n", article(v.Type()), api.Pretty(width, v))
}

// article names a Lua type in a sentence.
func article(t lua.LValueType) string {
	switch t {
	case lua.LTNil:
		return "no value:"
	case lua.LTTable, lua.LTNumber, lua.LTBool, lua.LTThread:
		return "a " + t.String() + ":"
	}
	return "an object:"
}

// describeFunction says where a function comes from that has no descriptor.
func describeFunction(fn *lua.LFunction) string {
	if fn.IsG {
		return "a function of the Lua library: see the Lua 5.1 reference manual\n"
	}
	p := fn.Proto
	var params []string
	for i := 0; i < int(p.NumParameters) && i < len(p.DbgLocals); i++ {
		params = append(params, p.DbgLocals[i].Name)
	}
	if p.IsVarArg != 0 {
		params = append(params, "...")
	}
	return fmt.Sprintf("function(%s), defined at %s:%d\n", strings.Join(params, ", "), p.SourceName, p.LineDefined)
}
