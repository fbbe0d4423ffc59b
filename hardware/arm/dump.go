package arm

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// dumped are the registers that Dump prints.
var dumped = [...]bits.SysReg{
	a64.MPIDR_EL1, a64.DAIF, a64.ISR_EL1, a64.CNTFRQ_EL0, a64.CNTVCT_EL0, a64.PMCR_EL0, a64.PMCNTENSET_EL0,
	a64.PMCCNTR_EL0,
}

// Dump prints the CPU's state and the PE's own system registers, decoded. Times count from epoch.
func (p *PE) Dump(w io.Writer, epoch sim.Time) {
	p.CPU.Dump(w, epoch)
	for _, r := range dumped {
		v, _ := p.ReadSys(r)
		name, fields := DecodeSysReg(r, v)
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-16s %s  %s", name, bits.Hex(v), fields), " "))
	}
}

// State is cpu.Architecture.
func (p *PE) State(line func(name, format string, args ...any)) {
	state := "clear"
	if p.events.register {
		state = "set"
	}
	line("event register", "%s", state)
}
