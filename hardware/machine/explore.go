package machine

import "fmt"

// Explorable is why a machine cannot be explored, nil if it can: what reaches memory without a CPU is not covered.
func (m *Machine) Explorable() error {
	if masters := m.Memory.Masters(); len(masters) > 0 {
		return fmt.Errorf("%s reaches memory by itself: expected a machine in which only CPUs do", masters[0].Name)
	}
	return nil
}
