package arm_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bus"
)

// TestAbort: a faulting access shows in ESR_EL1 and FAR_EL1 as the Data Abort that it is (DDI 0487, D19.2, ESR_EL1).
func TestAbort(t *testing.T) {
	for _, c := range []struct {
		addr uint64
		op   bus.Op
		esr  uint64
	}{
		{0x10, bus.Read, 0x9600_0010},              // external abort, read
		{0x10, bus.Write, 0x9600_0050},             // external abort, write
		{0x4000_0004, bus.Read, 0x9600_0021},       // alignment fault, read
		{0x4000_0004, bus.ReadModify, 0x9600_0061}, // alignment fault, write
	} {
		b := newBench(t, defaultSpec())
		b.run(func() {
			abort := b.pe.Check(c.addr, 8, c.op)
			if abort == nil {
				t.Fatalf("%s of 0x%x does not fault", c.op, c.addr)
			}
			b.reads(a64.ESR_EL1, 0) // asking changes nothing
			b.pe.CPU.Abort(abort)
			b.reads(a64.ESR_EL1, c.esr)
			b.reads(a64.FAR_EL1, c.addr)
		})
	}
}
