package arm64

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
)

// The pause of all remote CPUs by an NMI, so that a kernel mapping can be broken and made again while nobody uses it.
// It was posted in three forms and never merged: "mm/arm64: re-enable HVO", RFC of August 2024, v1 of October 2024, v2
// of November 2024.

// PauseRemoteCPUs is pause_remote_cpus: when it returns, all other CPUs that are online spin in the handler of
// IPI_CPU_STOP_NMI. The caller holds cpus_read_lock and has interrupts off.
func (k *Kernel) PauseRemoteCPUs(c *cpu.CPU) error {
	if err := k.common.AllocatePause(); err != nil {
		return err
	}
	c.Enter("pause_remote_cpus")
	defer c.Leave()
	d := k.common.Pause()
	if d.Form == linux.PauseV2 {
		return k.pauseV2(c, d)
	}
	k.common.SpinLock(c, d.Lock)
	others := k.othersOnline(c)
	k.smpCrossCall(c, others, IPICPUStopNMI)
	for i, word := range others {
		k.common.Arch.SmpCondLoadAcquire(c, d.Paused+uint64(8*i), 8, func(v uint64) bool { return v == word })
	}
	c.Fence(k.smpRMB)
	k.common.SpinUnlock(c, d.Lock)
	return nil
}

func (k *Kernel) pauseV2(c *cpu.CPU, d linux.PauseData) error {
	online := k.common.NumOnlineCPUs(c)
	c.Branch(c.Loaded())
	if online == 1 {
		return nil
	}
	k.common.SpinLock(c, d.Lock)
	c.Store(d.Flag, 4, 1, bus.Plain) // cpu_paused
	k.smpCrossCall(c, k.othersOnline(c), IPICPUStopNMI)
	all := uint64(online - 1)
	k.common.Arch.SmpCondLoadAcquire(c, d.Count, 4, func(v uint64) bool { return v == all })
	k.common.SpinUnlock(c, d.Lock)
	return nil
}

// othersOnline copies cpu_online_mask and clears the own CPU.
func (k *Kernel) othersOnline(c *cpu.CPU) linux.CPUMask { return k.common.OthersOnline(c) }

// ResumeRemoteCPUs is resume_remote_cpus: when it returns, all have left the handler's loop.
func (k *Kernel) ResumeRemoteCPUs(c *cpu.CPU) {
	c.Enter("resume_remote_cpus")
	defer c.Leave()
	d := k.common.Pause()
	if d.Form == linux.PauseV2 {
		k.resumeV2(c, d)
		return
	}
	k.common.SpinLock(c, d.Lock)
	for i := range d.Words {
		c.Store(d.Resumed+uint64(8*i), 8, ^uint64(0), bus.Plain) // cpumask_setall
	}
	c.Fence(k.smpMB)
	if d.Form == linux.PauseRFC {
		c.Fence(k.dsbISHST)
		k.common.Arch.SEV(c)
	}
	for i := range d.Words {
		k.common.Arch.SmpCondLoadAcquire(c, d.Paused+uint64(8*i), 8, isZero)
	}
	k.common.SpinUnlock(c, d.Lock)
}

func (k *Kernel) resumeV2(c *cpu.CPU, d linux.PauseData) {
	paused := c.Load(d.Flag, 4, bus.Plain)
	c.Branch(c.Loaded())
	if paused == 0 {
		return
	}
	k.common.SpinLock(c, d.Lock)
	c.Store(d.Flag, 4, 0, bus.Plain)
	k.common.Arch.SmpCondLoadAcquire(c, d.Count, 4, isZero)
	k.common.SpinUnlock(c, d.Lock)
}

func isZero(v uint64) bool { return v == 0 }

// pauseLocalCPU is pause_local_cpu, which the handler of IPI_CPU_STOP_NMI runs.
func (k *Kernel) pauseLocalCPU(c *cpu.CPU) {
	c.Enter("pause_local_cpu")
	defer c.Leave()
	arch, d := k.common.Arch, k.common.Pause()
	if d.Form == linux.PauseV2 {
		arch.AtomicAdd(c, d.Count, 1)
		arch.SmpCondLoadAcquire(c, d.Flag, 4, isZero)
		arch.AtomicAdd(c, d.Count, -1)
		arch.ISB(c)
		return
	}
	word, bit := uint64(c.ID/64*8), c.ID%64
	resumed := func(v uint64) bool { return v>>bit&1 != 0 }
	arch.ClearBit(c, d.Resumed+word, bit)
	c.Fence(k.smpWMB)
	arch.SetBit(c, d.Paused+word, bit)
	if d.Form == linux.PauseRFC {
		for !resumed(c.Load(d.Resumed+word, 8, bus.Plain)) {
			arch.WFE(c)
		}
	} else {
		arch.SmpCondLoadAcquire(c, d.Resumed+word, 8, resumed)
	}
	c.Fence(k.smpMB)
	arch.ClearBit(c, d.Paused+word, bit)
}

// UpdatePTEs is vmemmap_update_pte of a range as the series does it on arm64: with break-before-make around, once for
// the range, in the RFC once for each entry. The page table is at an address of the caller's.
func (k *Kernel) UpdatePTEs(c *cpu.CPU, table uint64, count int) error {
	each := count
	if k.common.Options.Pause == linux.PauseRFC {
		each = 1
	}
	for first := 0; first < count; first += each {
		if err := k.PauseRemoteCPUs(c); err != nil {
			return err
		}
		k.breakBeforeMake(c, table+uint64(8*first), min(each, count-first))
		k.ResumeRemoteCPUs(c)
	}
	return nil
}

// breakBeforeMake clears entries, invalidates what TLBs have of each page, and sets the entries again.
func (k *Kernel) breakBeforeMake(c *cpu.CPU, table uint64, count int) {
	c.Enter("break_before_make")
	defer c.Leave()
	for i := range count {
		c.Store(table+uint64(8*i), 8, 0, bus.Plain) // pte_clear
		c.InvalidateTLB()                           // TLBI VAALE1IS
	}
	c.Fence(k.dsbISH)
	k.common.Arch.ISB(c)
	for i := range count {
		c.Store(table+uint64(8*i), 8, pteValid, bus.Plain) // set_pte
	}
}

// pteValid is PTE_VALID.
const pteValid = 1
