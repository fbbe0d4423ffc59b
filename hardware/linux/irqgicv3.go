package linux

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// gicIPISendMask is gic_ipi_send_mask: the barrier, one register write for each group of targets that one target list
// reaches, and an ISB.
func (k *Kernel) gicIPISendMask(c *cpu.CPU, intid int, mask CPUMask) {
	c.Delay(k.cost.sendMask)
	if b := k.Options.IPIBarrier; b != BarrierNone {
		c.Fence(barrierFences[b])
	}
	for target := k.NextCPU(c, mask, 0); target >= 0; {
		var w uint64
		w, target = k.ComputeTargetList(c, mask, target)
		k.SendSGI(c, w|gic.ICC_SGI1R_EL1_INTID.Put(0, uint64(intid)))
	}
	c.Synchronize() // Force the above writes to ICC_SGI1R_EL1 to be executed.
}

// SendSGI is the write to ICC_SGI1R_EL1, gic_write_sgi1r.
func (k *Kernel) SendSGI(c *cpu.CPU, w uint64) {
	if k.probe != nil {
		k.probe.send(c)
	}
	mustWriteSys(c, gic.ICC_SGI1R_EL1, w)
}

// WriteSys is an MSR by a program in place of the kernel; false if it is UNDEFINED. One that sends an SGI is noted as
// the kernel's own is.
func (k *Kernel) WriteSys(c *cpu.CPU, r bits.SysReg, v uint64) bool {
	if r == gic.ICC_SGI1R_EL1 && k.probe != nil {
		k.probe.send(c)
	}
	return c.WriteSys(r, v)
}

// NextCPU is one step of for_each_cpu: the first CPU of the mask from a number on, -1 if there is none.
func (k *Kernel) NextCPU(c *cpu.CPU, mask CPUMask, from int) int {
	next := mask.Next(from)
	words := len(mask) - from/64
	if next >= 0 {
		words = next/64 - from/64 + 1
	}
	c.Delay(k.cost.maskWord * sim.Time(max(words, 1)))
	return next
}

// ComputeTargetList is gic_compute_target_list: it takes CPUs from the mask, in logical order, while they are in the
// cluster of the first. It answers the register's value without INTID, and the first CPU that was left, -1 if none.
func (k *Kernel) ComputeTargetList(c *cpu.CPU, mask CPUMask, target int) (w uint64, next int) {
	c.Delay(k.cost.targetList)
	cluster := k.percpu[target].sgi.cluster
	w = cluster
	for target >= 0 && k.percpu[target].sgi.cluster == cluster {
		w |= k.percpu[target].sgi.bit
		target = k.NextCPU(c, mask, target+1)
	}
	return w, target
}
