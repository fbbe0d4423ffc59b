package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
)

// Explorable is why a machine cannot be explored, nil if it can: what reaches memory without a CPU is not covered but
// for a GraphMaster, and an exploration leaves no state to begin another from.
func (m *Machine) Explorable() error {
	if m.explored {
		return fmt.Errorf("%s has been explored: expected a machine of its own for each exploration", m.Spec.Name)
	}
	known := map[*bus.Master]bool{}
	for _, r := range m.Devices.Regions() {
		if g, ok := r.Device.(GraphMaster); ok {
			for _, master := range g.Masters() {
				known[master] = true
			}
		}
	}
	for _, master := range m.Memory.Masters() {
		if !known[master] {
			return fmt.Errorf("%s reaches memory by itself: expected a machine in which only CPUs do", master.Name)
		}
	}
	return nil
}
