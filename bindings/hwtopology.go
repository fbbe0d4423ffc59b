package bindings

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/host/api"
)

// linesObject is a run of cache lines.
type linesObject struct {
	m     *machineObject
	base  uint64
	count int
}

var linesClass = &api.Class{
	Name: "Lines", Doc: "Cache lines in RAM, from m:lines.",
	Funcs: []api.Func{{
		Name: "node", Doc: "Node that the lines were allocated on.",
		Returns: []api.Param{api.P("node", api.Count(0), "from 0, one for each die")},
		Example: `hw.machine("virt"):lines(2):node()`,
		Fn: func(L *lua.LState) int {
			l := api.Object[*linesObject](L, 1)
			api.PushInt(L, int64(l.m.Memory.Node(l.base)))
			return 1
		},
	}, {
		Name: "addr", Doc: "Address of a line.", Params: []api.Param{api.P("line", api.Count(0), "from 0")},
		Returns: []api.Param{api.P("addr", api.U64(), "physical address")}, Example: `hw.machine("virt"):lines(2):addr(1)`,
		Fn: func(L *lua.LState) int {
			l, i := api.Object[*linesObject](L, 1), api.IntAt(L, 2)
			if i >= l.count {
				api.ArgErrorf(L, 2, "a line from 0 to %d", l.count-1)
			}
			api.PushU64(L, l.base+uint64(i)*mem.LineSize)
			return 1
		},
	}},
	Ops: []api.Func{{
		Name: "__len", Doc: "Number of lines.", Params: []api.Param{api.P("lines", api.Any(), "the lines")},
		Returns: []api.Param{api.P("count", api.Count(1), "lines")},
		Example: `#hw.machine("virt"):lines(2)`,
		Fn: func(L *lua.LState) int {
			api.PushInt(L, int64(api.Object[*linesObject](L, 1).count))
			return 1
		},
	}},
	String: func(v any) string {
		l := v.(*linesObject)
		return fmt.Sprintf("%d lines at 0x%x", l.count, l.base)
	},
}

var linesSchema = &api.Schema{
	Name: "Machine:lines", Doc: "Where lines are.",
	Options: []api.Param{api.Opt("node", api.Count(0), "0", "node to allocate on, one for each die")},
}

var distanceWords = func() (words api.Words[mem.Distance]) {
	for d := mem.Own; d <= mem.CrossNode; d++ {
		words = append(words, api.Word[mem.Distance]{Text: strings.ReplaceAll(d.String(), " ", "_"), Value: d})
	}
	return words
}()

// topologyFuncs are what a machine says about places.
func topologyFuncs() []api.Func {
	return []api.Func{
		{
			Name: "lines", Doc: "Reserves cache lines of 64 bytes in RAM that nothing else uses.",
			Params: []api.Param{
				api.P("count", api.Int(1, 1<<20), "number of lines"),
				api.Opt("name", api.String(), "none", "what traces and counterexamples call them: flag, data[2]"),
				api.Opt("options", api.OptionsOf(linesSchema), "none", "where they are"),
			},
			Returns: []api.Param{api.P("lines", api.ObjectOf(linesClass), "the lines")},
			Example: `hw.machine("kunpeng920"):lines(7, "data", { node = 3 })`, Fn: machineLines,
		},
		{
			Name: "system_cached", Doc: "Who put the line of an address into the system cache of its node.",
			Params:  []api.Param{api.P("addr", api.U64(), "address in RAM")},
			Returns: []api.Param{api.Opt("master", api.String(), "nil", "CPU3, or a device's name; nil if it is not there")},
			Example: `local m = hw.machine("virt")
local line = m:lines(1):addr(0)
m:run(3, function(cpu) cpu:load(line) end)
return m:system_cached(line)`,
			Fn: machineSystemCached,
		},
		{
			Name: "distance", Doc: "How far a cache line travels from one CPU to another.",
			Params: []api.Param{api.P("a", api.Count(0), "number of a CPU"), api.P("b", api.Count(0), "number of a CPU")},
			Returns: []api.Param{api.P("distance", distanceWords.Type(), "own if the two are the same; within the cluster, "+
				"within the die, to another die of the socket, to another socket")},
			Example: `hw.machine("kunpeng920"):distance(0, 24)`,
			Fn: func(L *lua.LState) int {
				m := machineAt(L)
				d := m.Distance(cpuAt(L, m, 2).cpu.ID, cpuAt(L, m, 3).cpu.ID)
				L.Push(lua.LString(distanceWords[d].Text))
				return 1
			},
		},
	}
}

func machineLines(L *lua.LState) int {
	m, n, name := machineAt(L), api.IntAt(L, 2), api.OptStringAt(L, 3, "")
	m.mustSeeNone(L, "Machine:lines")
	api.Boundary(L)
	if L.Get(3) != lua.LNil && !isName(name) {
		api.ArgErrorf(L, 3, nameRule)
	}
	node := int(linesSchema.At(L, 4).Int("node", 0))
	base, err := m.Lines(n, name, node)
	if err != nil {
		api.Errorf(L, "Machine:lines: %v", err)
	}
	L.Push(linesClass.New(L, &linesObject{m: m, base: base, count: n}))
	return 1
}

func machineSystemCached(L *lua.LState) int {
	m, addr := machineAt(L), api.U64At(L, 2)
	if !m.Memory.Contains(addr, 1) {
		base, size := m.Memory.Range()
		api.ArgErrorf(L, 2, "an address in RAM, from 0x%x to 0x%x", base, base+size-1)
	}
	if by := m.Memory.SystemCached(addr); by != "" {
		L.Push(lua.LString(by))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

// nameRule is what a name in traces must be.
const nameRule = "a name of 1 to 64 characters without control characters"

func isName(s string) bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, control)
}

// placeFields are where a CPU sits. They never change, so that the methods beside them stay as fast as they are.
func placeFields() []api.Field {
	field := func(name, doc string, of func(p mem.Place) int32) api.Field {
		return api.Field{
			Name: name, Type: api.Count(0), Doc: doc + ", counted from 0 through the machine.", Constant: true,
			Example: `hw.machine("kunpeng920"):cpu(24).` + name,
			Get: func(L *lua.LState) int {
				c := api.Object[*cpuObject](L, 1)
				L.Push(lua.LNumber(of(c.m.Place(c.cpu.ID))))
				return 1
			},
		}
	}
	return []api.Field{
		field("cluster", "The CPU's cluster", func(p mem.Place) int32 { return p.Cluster }),
		field("die", "The CPU's die, which is the node of its memory", func(p mem.Place) int32 { return p.Die }),
		field("socket", "The CPU's socket", func(p mem.Place) int32 { return p.Socket }),
	}
}
