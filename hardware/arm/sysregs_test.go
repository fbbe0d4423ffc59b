package arm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
)

// implemented are all system registers of the PE: their values at reset, and the bits that a write changes; -1 marks a
// register to which MSR is UNDEFINED.
var implemented = []struct {
	reg      bits.SysReg
	reset    uint64
	writable int64
}{
	{a64.MIDR_EL1, midr, -1},
	{a64.MPIDR_EL1, affinity | 1<<31, -1},
	{a64.REVIDR_EL1, 0, -1},
	{a64.AIDR_EL1, 0, -1},
	{a64.CurrentEL, 1 << 2, -1},
	{a64.DAIF, 0, 0xf << 6},
	{a64.ISR_EL1, 0, -1},
	{a64.CNTFRQ_EL0, 100_000_000, -1},
	{a64.CNTPCT_EL0, 0, -1},
	{a64.CNTVCT_EL0, 0, -1},
	{a64.CNTP_CTL_EL0, 0, 1<<0 | 1<<1 | 1<<2}, // ISTATUS, since the counter has reached 0
	{a64.CNTP_CVAL_EL0, 0, allBits},
	{a64.CNTP_TVAL_EL0, 0, 0xffff_ffff}, // from the counter, which stands at 0
	{a64.CNTV_CTL_EL0, 0, 1<<0 | 1<<1 | 1<<2},
	{a64.CNTV_CVAL_EL0, 0, allBits},
	{a64.CNTV_TVAL_EL0, 0, 0xffff_ffff},
	{a64.VBAR_EL1, 0, vbarBits},
	{a64.ESR_EL1, 0, 0xffff_ffff},
	{a64.FAR_EL1, 0, allBits},
	{a64.TPIDR_EL0, 0, allBits},
	{a64.TPIDRRO_EL0, 0, allBits},
	{a64.TPIDR_EL1, 0, allBits},
	{a64.PMCR_EL0, 0x48 << 24, 1<<0 | 1<<3 | 1<<6},
	{a64.PMCNTENSET_EL0, 0, 1 << 31},
	{a64.PMCNTENCLR_EL0, 0, 0}, // it clears; see TestCountEnable
	{a64.PMUSERENR_EL0, 0, 1<<0 | 1<<2},
	{a64.PMCCFILTR_EL0, 0, 1<<30 | 1<<31},
	{a64.PMCCNTR_EL0, 0, allBits},
}

const (
	allBits  = 0x7fff_ffff_ffff_ffff // the pattern that is written has no sign, so that -1 is free
	vbarBits = allBits &^ 0x7ff      // DDI 0487, VBAR_EL1: bits 10:0 are RES0
)

func TestSystemRegisters(t *testing.T) {
	for _, row := range implemented {
		t.Run(name(row.reg), func(t *testing.T) {
			b := newBench(t, defaultSpec())
			b.run(func() {
				b.reads(row.reg, row.reset)
				if row.writable < 0 {
					if b.pe.CPU.WriteSys(row.reg, allBits) {
						t.Error("MSR is not UNDEFINED")
					}
					b.reads(row.reg, row.reset)
					return
				}
				b.write(row.reg, allBits)
				b.reads(row.reg, row.reset|uint64(row.writable))
				b.write(row.reg, 0)
				if row.reg != a64.PMCNTENSET_EL0 { // where zeros change nothing
					b.reads(row.reg, row.reset)
				}
			})
		})
	}
}

// TestUndefinedRegisters walks all registers that the manual's package declares: one that the table above does not have
// is UNDEFINED. So the package's deviations are a list, and a new register changes a test.
func TestUndefinedRegisters(t *testing.T) {
	known := map[bits.SysReg]bool{}
	for _, row := range implemented {
		known[row.reg] = true
	}
	b := newBench(t, defaultSpec())
	undefined := 0
	b.run(func() {
		for i := range a64.Registers {
			r := bits.SysReg(a64.Registers[i].Addr)
			if a64.Registers[i].Where != bits.InSystem || known[r] {
				continue
			}
			undefined++
			if _, ok := b.pe.CPU.ReadSys(r); ok {
				t.Errorf("MRS of %s is not UNDEFINED", name(r))
			}
			if b.pe.CPU.WriteSys(r, 0) {
				t.Errorf("MSR of %s is not UNDEFINED", name(r))
			}
		}
	})
	if undefined == 0 {
		t.Error("the walk found nothing")
	}
}

// TestInterfaceRegisters: what belongs to the GIC goes there, and what the GIC does not know either is UNDEFINED.
func TestInterfaceRegisters(t *testing.T) {
	b := newBench(t, defaultSpec())
	b.run(func() {
		b.write(gic.ICC_PMR_EL1, 0xf0)
		b.reads(gic.ICC_PMR_EL1, 0xf0)
		if _, ok := b.pe.CPU.ReadSys(gic.ICC_SRE_EL1); ok || b.pe.CPU.WriteSys(gic.ICC_SRE_EL1, 1) {
			t.Error("a register that the GIC lacks is not UNDEFINED")
		}
	})
	if b.gic.regs[gic.ICC_PMR_EL1] != 0xf0 {
		t.Error("the write did not reach the GIC")
	}
	b.pe.Connect(nil, nil, nil, nil) // a machine without a GIC
	if _, ok := b.pe.ReadSys(gic.ICC_PMR_EL1); ok || b.pe.WriteSys(gic.ICC_PMR_EL1, 0) {
		t.Error("without a GIC, its registers are not UNDEFINED")
	}
}

func TestMPIDR(t *testing.T) {
	b := newBench(t, defaultSpec())
	want := uint64(affinity) | 1<<31
	if b.pe.MPIDR() != want || affinity != 0x12<<32|0x34<<16|5<<8|6 {
		t.Errorf("MPIDR 0x%x, want 0x%x", b.pe.MPIDR(), want)
	}
}

// TestDAIF: the I bit is the CPU's mask, whoever changes it, and clearing it takes what is pending at once. Exception
// entry masks everything, and the return restores what was masked before.
func TestDAIF(t *testing.T) {
	b := newBench(t, defaultSpec())
	taken := 0
	b.pe.SetVector(vector(func() {
		taken++
		b.reads(a64.DAIF, 0x3c0)
		b.pe.SetIRQ(false)
		b.write(a64.DAIF, 0x100)
		b.reads(a64.DAIF, 0x100)
	}))
	b.drive(50*ns, irqHigh)
	b.run(func() {
		b.reads(a64.DAIF, 0)
		b.pe.MaskIRQ(true)
		b.reads(a64.DAIF, uint64(a64.DAIF_I))
		b.pe.Delay(100 * ns)
		b.write(a64.DAIF, allBits)
		b.reads(a64.DAIF, 0x3c0)
		if taken != 0 {
			t.Error("an interrupt was taken while masked")
		}
		b.write(a64.DAIF, 0x240)
		b.reads(a64.DAIF, 0x240)
		if taken != 1 {
			t.Error("the pending interrupt was not taken when it was unmasked")
		}
		if b.pe.IRQMasked() {
			t.Error("still masked")
		}
	})
}

// TestISR: ISR_EL1 shows both inputs, masked or not.
func TestISR(t *testing.T) {
	b := newBench(t, defaultSpec())
	b.drive(10*ns, irqHigh)
	b.drive(20*ns, fiqHigh)
	b.drive(30*ns, irqLow)
	b.drive(40*ns, fiqLow)
	b.run(func() {
		b.pe.MaskIRQ(true)
		for _, want := range []uint64{0, 1 << 7, 1<<7 | 1<<6, 1 << 6, 0} {
			b.pe.Delay(5 * ns)
			b.reads(a64.ISR_EL1, want)
			b.pe.Delay(5 * ns)
		}
	})
}

func TestDump(t *testing.T) {
	b := newBench(t, defaultSpec())
	b.run(func() { b.pe.Delay(1234 * ns); b.pe.MaskIRQ(true) })
	var out bytes.Buffer
	b.pe.Dump(&out, 0)
	for _, want := range []string{
		"MPIDR_EL1        0x12_8034_0506  Aff3=0x12 RES1 Aff2=0x34 Aff1=5 Aff0=6\n",
		"CNTVCT_EL0       0x0000_007b\n",
		"PMCR_EL0         0x4800_0000  IMP=0x48\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %q in\n%s", want, &out)
		}
	}
}

func TestDecodeSysReg(t *testing.T) {
	for _, row := range []struct {
		reg         bits.SysReg
		value       uint64
		name, words string
	}{
		{a64.DAIF, 0x80, "DAIF", "I"},
		{gic.ICC_CTLR_EL1, 2, "ICC_CTLR_EL1", "EOImode"},
		{a64.TPIDR_EL1, 5, "TPIDR_EL1", ""},
		{0x1234, 5, "0x1234", ""},
	} {
		if n, words := arm.DecodeSysReg(row.reg, row.value); n != row.name || words != row.words {
			t.Errorf("0x%x: %q, %q, want %q, %q", row.reg, n, words, row.name, row.words)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*arm.Spec){
		"affinity 0x1000000: expected bits 39:32 and 23:0 only": func(s *arm.Spec) { s.Affinity = 1 << 24 },
		"counter frequency 0 Hz: expected at least 1 Hz":        func(s *arm.Spec) { s.CounterFreq = 0 },
		"clock 0 Hz: expected at least 1 Hz":                    func(s *arm.Spec) { s.CPU.Clock = 0 },
	} {
		s := defaultSpec()
		change(&s)
		if err := s.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
