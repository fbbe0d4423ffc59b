package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// bootProgram brings one CPU up.
type bootProgram struct {
	kernel *linux.Kernel
	cpu    *cpu.CPU
	err    error
}

// Run is what the CPU executes first.
func (b *bootProgram) Run(*sim.Proc) { b.err = b.kernel.BootCPU(b.cpu) }

// Boot runs the kernel's initialisation on every CPU that it is to bring up, the boot CPU first, as PSCI brings them up
// one by one; the others are off. Afterwards it is time 0, and only what a script does counts.
func (m *Machine) Boot() error {
	up := m.Kernel.BootCPUs()
	for _, c := range m.CPUs[up:] {
		c.SetPower(cpu.Off)
	}
	for i, c := range m.CPUs[:up] {
		b := &bootProgram{kernel: m.Kernel, cpu: c}
		if err := m.Run(i, b); err != nil {
			return fmt.Errorf("boot of CPU%d: %w", i, err)
		}
		if b.err != nil {
			return fmt.Errorf("boot of CPU%d: %w", i, b.err)
		}
	}
	if err := m.Drive(nil); err != nil { // the last writes arrive
		return fmt.Errorf("boot: %w", err)
	}
	m.Kernel.Booted()
	m.epoch = m.Engine.Now()
	return nil
}
