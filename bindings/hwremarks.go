package bindings

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
)

// machineRemarks are the remarks of a machine that the session made. They outlive the machine.
type machineRemarks struct {
	name    string
	run     Run
	epoch   sim.Time
	remarks *sim.Remarks
}

// watch keeps the remarks of a machine for the end of the session.
func (s *Session) watch(m *machineObject) {
	s.remarks = append(s.remarks, machineRemarks{m.Spec.Name, s.run, m.Epoch(), m.Engine.Remarks()})
}

// forget leaves out a machine that is explored: there, what is UNPREDICTABLE is a finding.
func (s *Session) forget(m *machineObject) {
	s.remarks = slices.DeleteFunc(s.remarks, func(r machineRemarks) bool { return r.remarks == m.Engine.Remarks() })
}

// maxRemarkLines is the number of remarks that are shown at the end of a run.
const maxRemarkLines = 20

// Remarks are what software was remarked for on the session's timed machines, a line each, in the order in which the
// machines were made.
func (s *Session) Remarks() (lines []string) {
	left := uint64(0)
	for i := range s.remarks {
		m := &s.remarks[i]
		left += m.remarks.Dropped
		for k := range m.remarks.List {
			if len(lines) == maxRemarkLines {
				left += uint64(len(m.remarks.List) - k)
				break
			}
			r := &m.remarks.List[k]
			where := m.name
			if m.run.Index != 0 {
				where += ", " + m.run.String()
			}
			lines = append(lines, fmt.Sprintf("remark on %s at %s ns: %s", where, (r.At-m.epoch).Nanoseconds(), r))
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("%d more remarks", left))
	}
	return lines
}

var remarksFunc = api.Func{
	Name: "remarks",
	Doc: "What software did so far to which the architecture gives no meaning: an access where a device has no " +
		"register, the end of an interrupt that is not active. The models go on; a run shows its remarks at the end.",
	Returns: []api.Param{api.P("remarks", api.Table(), "a list of { time, source, register, what } in order, time in ps "+
		"since the boot; dropped, how many more there were")},
	Example: `local m = hw.machine("virt")
m:run(0, function(cpu) cpu:msr("ICC_EOIR1_EL1", 40) end)
return m:remarks()[1].what`,
	Fn: func(L *lua.LState) int {
		m := machineAt(L)
		m.mustSeeNone(L, "Machine:remarks")
		api.Boundary(L)
		remarks := m.Engine.Remarks()
		list := L.NewTable()
		list.RawSetString("dropped", lua.LNumber(remarks.Dropped))
		for i := range remarks.List {
			r, row := &remarks.List[i], L.NewTable()
			row.RawSetString("time", lua.LNumber(m.Since(r.At)))
			row.RawSetString("source", lua.LString(r.Source))
			row.RawSetString("register", lua.LString(r.Register))
			row.RawSetString("what", lua.LString(r.What))
			list.Append(row)
		}
		L.Push(list)
		return 1
	},
}
