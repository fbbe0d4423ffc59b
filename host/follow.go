package host

import (
	"slices"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// handsOn are the library's functions that hand on what they are given, or do not look at u64 values.
var handsOn = []string{
	"assert", "collectgarbage", "error", "getmetatable", "ipairs", "load", "loadstring", "pairs", "pcall", "print",
	"require", "select", "setmetatable", "type", "unpack", "xpcall",
	"create", "resume", "running", "status", "wrap", // of coroutines
	"insert", "remove", "sort", // of tables; to sort compares by what is followed itself
}

// Follow makes all functions in Go, the operators == and .. among them, tell a follower what becomes of their
// arguments, until end is called.
func (h *Host) Follow(to api.Follower) (end func()) {
	flows := map[*lua.LFunction]api.Flow{}
	for _, fn := range h.helpers {
		flows[fn] = api.Selects
	}
	add := func(name, v lua.LValue) {
		if fn, ok := v.(*lua.LFunction); ok && fn.IsG && !slices.Contains(handsOn, name.String()) {
			flows[fn] = api.Selects
		}
	}
	h.globals.ForEach(add)
	for _, library := range h.library {
		library.ForEach(add)
	}
	if fn, ok := h.library["table"].RawGetString("concat").(*lua.LFunction); ok {
		flows[fn] = api.Decides
	}
	return api.Follow(h.state, to, flows)
}

// Mute keeps what scripts print, and what they tell Fail, from appearing anywhere.
func (h *Host) Mute(muted bool) { h.muted = muted }
