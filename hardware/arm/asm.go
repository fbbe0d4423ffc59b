package arm

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// Asm is the instruction set as an operating system's C code uses it: the macros of Linux's arch/arm64/include/asm. It
// has no state, and each method acts on the CPU that executes it. A pointer to it stands behind [linux.Arch] without
// another function in between.
type Asm struct {
	// IRQOn and IRQOff are the values of ICC_PMR_EL1 by which the kernel masks interrupts, GIC_PRIO_IRQON and
	// GIC_PRIO_IRQOFF; 0 if it does so by PSTATE.I.
	IRQOn, IRQOff uint64
}

// barrierMacros are asm/barrier.h's barriers that are not named after their instruction.
var barrierMacros = map[string]string{
	"mb": "dsb(sy)", "rmb": "dsb(ld)", "wmb": "dsb(st)",
	"dma_mb": "dmb(osh)", "dma_rmb": "dmb(oshld)", "dma_wmb": "dmb(oshst)",
	"smp_mb": "dmb(ish)", "smp_rmb": "dmb(ishld)", "smp_wmb": "dmb(ishst)",
}

// Barrier is the fence of a macro of asm/barrier.h: "smp_wmb", "dsb(ishst)"; false if there is none of that name.
func (*Asm) Barrier(macro string) (bus.Fence, bool) {
	if instruction, ok := barrierMacros[macro]; ok {
		macro = instruction
	}
	name, option, _ := strings.Cut(strings.TrimSuffix(macro, ")"), "(")
	switch name {
	case "dmb":
		return DMB(option)
	case "dsb":
		return DSB(option)
	}
	return bus.Fence{}, false
}

// SmpStoreRelease is STLR.
func (*Asm) SmpStoreRelease(c *cpu.CPU, addr uint64, size uint8, v uint64) {
	c.Store(addr, size, v, bus.Release)
}

// SmpCondLoadAcquire is a loop of LDAXR and WFE until the value satisfies the condition.
func (*Asm) SmpCondLoadAcquire(c *cpu.CPU, addr uint64, size uint8, cond func(v uint64) bool) uint64 {
	v, _ := c.Wait(addr, size, bus.Acquire, cond, cpu.Forever)
	return v
}

// Cmpxchg is CASAL of 8 bytes: it answers the old value.
func (*Asm) Cmpxchg(c *cpu.CPU, addr, old, v uint64) uint64 {
	return c.Atomic(addr, 8, bus.CompareAndSwap, v, old, bus.AcquireRelease)
}

// Xchg is SWPAL of 8 bytes: it answers the old value.
func (*Asm) Xchg(c *cpu.CPU, addr, v uint64) uint64 {
	return c.Atomic(addr, 8, bus.Swap, v, 0, bus.AcquireRelease)
}

// TestAndSetBit is LDSETAL of a bit of an 8-byte word, and TestAndClearBit LDCLRAL: they answer what it was.
func (*Asm) TestAndSetBit(c *cpu.CPU, addr uint64, bit int) bool {
	return c.Atomic(addr, 8, bus.Set, 1<<bit, 0, bus.AcquireRelease)>>bit&1 != 0
}

func (*Asm) TestAndClearBit(c *cpu.CPU, addr uint64, bit int) bool {
	return c.Atomic(addr, 8, bus.Clear, 1<<bit, 0, bus.AcquireRelease)>>bit&1 != 0
}

// SetBit is STSET of a bit of an 8-byte word, and ClearBit STCLR.
func (*Asm) SetBit(c *cpu.CPU, addr uint64, bit int) {
	c.Atomic(addr, 8, bus.Set, 1<<bit, 0, bus.Plain)
}

func (*Asm) ClearBit(c *cpu.CPU, addr uint64, bit int) {
	c.Atomic(addr, 8, bus.Clear, 1<<bit, 0, bus.Plain)
}

// WFE and SEV are the instructions.
func (*Asm) WFE(c *cpu.CPU) { c.Architecture().(*PE).WaitForEvent() }

func (*Asm) SEV(c *cpu.CPU) { c.Architecture().(*PE).SendEvent() }

// AtomicAdd is STADD of 4 bytes.
func (*Asm) AtomicAdd(c *cpu.CPU, addr uint64, n int) {
	c.Atomic(addr, 4, bus.Add, uint64(n), 0, bus.Plain)
}

// LocalIRQSave masks interrupts and answers whether they were masked. A write of ICC_PMR_EL1 synchronises itself.
func (a *Asm) LocalIRQSave(c *cpu.CPU) bool {
	if a.IRQOff == 0 {
		masked := c.IRQMasked()
		c.MaskIRQ(true)
		return masked
	}
	masked := a.ReadSysreg(c, gic.ICC_PMR_EL1) == a.IRQOff
	if !masked {
		a.WriteSysreg(c, gic.ICC_PMR_EL1, a.IRQOff)
	}
	return masked
}

// LocalIRQRestore undoes LocalIRQSave.
func (a *Asm) LocalIRQRestore(c *cpu.CPU, masked bool) {
	switch {
	case a.IRQOff == 0:
		c.MaskIRQ(masked)
	case masked:
		a.WriteSysreg(c, gic.ICC_PMR_EL1, a.IRQOff)
	default:
		a.WriteSysreg(c, gic.ICC_PMR_EL1, a.IRQOn)
	}
}

// ReadSysreg is MRS of a register that the PE has.
func (*Asm) ReadSysreg(c *cpu.CPU, r bits.SysReg) uint64 {
	v, ok := c.ReadSys(r)
	if !ok {
		panic(undefined("MRS", r, c))
	}
	return v
}

func undefined(instruction string, r bits.SysReg, c *cpu.CPU) string {
	return fmt.Sprintf("BUG: %s of encoding 0x%x is undefined on %s", instruction, uint16(r), c)
}

// WriteSysreg is MSR of a register that the PE has.
func (*Asm) WriteSysreg(c *cpu.CPU, r bits.SysReg, v uint64) {
	if !c.WriteSys(r, v) {
		panic(undefined("MSR", r, c))
	}
}

// ISB is a context synchronization.
func (*Asm) ISB(c *cpu.CPU) { c.Synchronize() }
