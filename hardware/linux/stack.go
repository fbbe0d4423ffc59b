package linux

import (
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// What functions and exceptions save on a CPU's stack is stored to lines that no other CPU looks at. It counts for what
// a barrier finds outstanding. Their number is one of [Costs]: a store of the model stands for all to a line.

// PushFrames is the frames of the functions between the queueing of a call and the interrupt controller's driver:
// __smp_call_single_queue to __ipi_send_mask.
func (k *Kernel) PushFrames(c *cpu.CPU) {
	c.Push(k.percpu[c.ID].stack, int(k.Costs.FrameLines-k.driverLines()))
}

// PushDriverFrame is the frame of irq_chip.ipi_send_mask, the last of them: one line.
func (k *Kernel) PushDriverFrame(c *cpu.CPU) {
	lines := k.driverLines()
	c.Push(k.percpu[c.ID].stack+uint64(k.Costs.FrameLines-lines)*mem.LineSize, int(lines))
}

func (k *Kernel) driverLines() int64 { return min(k.Costs.FrameLines, 1) }

// PushRegisters is what the entry of an exception saves, kernel_entry.
func (k *Kernel) PushRegisters(c *cpu.CPU) {
	c.Push(k.percpu[c.ID].stack+uint64(k.Costs.FrameLines)*mem.LineSize, int(k.Costs.EntryLines))
}

// stackLines is the length of the stack, at least one line.
func (k *Kernel) stackLines() uint64 { return uint64(max(k.Costs.FrameLines+k.Costs.EntryLines, 1)) }
