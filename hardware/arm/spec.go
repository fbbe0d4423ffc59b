package arm

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Spec describes one PE.
type Spec struct {
	CPU         *cpu.Spec // the same for all PEs of a kind
	MIDR        uint64    // MIDR_EL1
	Affinity    uint64    // MPIDR_EL1.{Aff3,Aff2,Aff1,Aff0} in their places
	CounterFreq sim.Freq  // of the generic counter, CNTFRQ_EL0
}

// Validate names the first field that cannot be.
func (s *Spec) Validate() error {
	fields := a64.MPIDR_EL1_Aff0 | a64.MPIDR_EL1_Aff1 | a64.MPIDR_EL1_Aff2 | a64.MPIDR_EL1_Aff3
	if s.Affinity&^uint64(fields) != 0 {
		return fmt.Errorf("affinity 0x%x: expected bits 39:32 and 23:0 only", s.Affinity)
	}
	if s.CounterFreq == 0 {
		return fmt.Errorf("counter frequency 0 Hz: expected at least 1 Hz")
	}
	return s.CPU.Validate()
}
