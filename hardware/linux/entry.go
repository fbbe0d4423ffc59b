package linux

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// IRQ is el1h_64_irq and what it calls: the kernel is the vector of its CPUs.
func (k *Kernel) IRQ(c *cpu.CPU) {
	p := &k.percpu[c.ID]
	c.Delay(k.cost.irqEntry)
	count := c.Load(p.threadInfo+tiPreemptCount, 8, bus.Plain)
	c.Store(p.threadInfo+tiPreemptCount, 8, count+hardIRQOffset, bus.Plain) // irq_enter
	k.gicHandleIRQ(c)
	c.Delay(k.cost.irqExit)
	c.Store(p.threadInfo+tiPreemptCount, 8, count, bus.Plain) // irq_exit
}

// gicHandleIRQ is gic_handle_irq: acknowledge, complete the acknowledgement, handle, deactivate. The DSB SY behind the
// read of ICC_IAR1_EL1 is gic_read_iar's (arch/arm64/include/asm/arch_gicv3.h).
func (k *Kernel) gicHandleIRQ(c *cpu.CPU) {
	intid := int(mustReadSys(c, gic.ICC_IAR1_EL1))
	c.Fence(bus.DSBSY)
	if gic.INTID(intid).Special() {
		k.percpu[c.ID].counts.Spurious++
		return
	}
	if k.Options.EOImode1 {
		mustWriteSys(c, gic.ICC_EOIR1_EL1, uint64(intid))
	}
	c.Synchronize()
	c.Delay(k.cost.handleIRQ)
	k.handle(c, intid)
	if k.Options.EOImode1 {
		if intid < int(gic.FirstLPI) { // gic_eoimode1_eoi_irq: an LPI has nothing to deactivate
			mustWriteSys(c, gic.ICC_DIR_EL1, uint64(intid))
			c.Synchronize()
		}
	} else {
		mustWriteSys(c, gic.ICC_EOIR1_EL1, uint64(intid)) // gic_eoi_irq
		c.Synchronize()
	}
}

// handle is do_handle_IPI for the kernel's own SGIs, and the handler of the interrupt for all others.
func (k *Kernel) handle(c *cpu.CPU, intid int) {
	if handler := k.irqs[intid]; handler != nil {
		handler(c, uint64(intid))
		return
	}
	if intid == ArmCallFunctionIPI {
		k.percpu[c.ID].counts.IPIs++
		k.flushSMPCallFunctionQueue(c)
	}
}

// RequestIRQ installs a handler for an interrupt on all CPUs, nil to remove it. It does not enable the interrupt.
func (k *Kernel) RequestIRQ(intid int, handler Func) {
	if handler == nil {
		delete(k.irqs, intid)
		return
	}
	if k.irqs == nil {
		k.irqs = map[int]Func{}
	}
	k.irqs[intid] = handler
}

// mustReadSys and mustWriteSys are accesses to registers that every PE with a GICv3 has.
func mustReadSys(c *cpu.CPU, r bits.SysReg) uint64 {
	v, ok := c.ReadSys(r)
	if !ok {
		panic(fmt.Sprintf("BUG: MRS of encoding 0x%x is undefined on %s", uint16(r), c))
	}
	return v
}

func mustWriteSys(c *cpu.CPU, r bits.SysReg, v uint64) {
	if !c.WriteSys(r, v) {
		panic(fmt.Sprintf("BUG: MSR of encoding 0x%x is undefined on %s", uint16(r), c))
	}
}
