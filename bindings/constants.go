package bindings

import (
	"slices"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/result"
)

// constants are those of the machines on which a figure was simulated: what its role follows from.
type constants []constant

type constant struct {
	name   string
	origin machine.Origin
	row    machine.PublishedRow // of Fitted
}

const (
	costsPath  = "linux.costs." // where the options of hw.machine have the cycles of straight-line code
	ownNumbers = "the script's own numbers"
)

// built notes the constants of a machine that is made.
func (s *Session) built(spec *machine.Spec) {
	for i := range spec.Latency {
		l := &spec.Latency[i]
		if spec.Unused(machine.LatencyName(i)) {
			continue
		}
		s.constants.add(constant{machine.LatencyName(i).String(), l.Origin, l.Row})
	}
	for _, c := range spec.Costs.List() {
		origin := machine.Assumed
		if c.Set {
			origin = machine.Given
		}
		s.constants.add(constant{name: costsPath + c.Name, origin: origin})
	}
	s.constants.add(constant{name: "store_buffer", origin: machine.Assumed})
	if spec.OuterModel == cpu.OuterPipelined {
		s.constants.add(constant{name: "outer_window", origin: machine.Assumed})
	}
}

func (cs *constants) add(c constant) {
	if !slices.Contains(*cs, c) {
		*cs = append(*cs, c)
	}
}

// grounds are those of a published row: without a simulation of each, every constant may move it. Where no machine was
// made, what was simulated is the script's own.
func (cs constants) grounds(row machine.PublishedRow) result.Grounds {
	var g result.Grounds
	for _, c := range cs {
		switch {
		case c.origin == machine.Fitted && c.row == row:
			g.Fitted = append(g.Fitted, c.name)
		case c.origin == machine.Assumed || c.origin == machine.Given:
			g.Assumed = append(g.Assumed, c.name)
		}
	}
	if len(cs) == 0 {
		g.Assumed = []string{ownNumbers}
	}
	return g
}
