package linux

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

const (
	affinity0 = a64.MPIDR_EL1_Aff0
	affinity1 = a64.MPIDR_EL1_Aff1
	affinity2 = a64.MPIDR_EL1_Aff2
	affinity3 = a64.MPIDR_EL1_Aff3

	affinityMask = affinity0 | affinity1 | affinity2 | affinity3
)

// gicState is struct gic_chip_data.
type gicState struct {
	interrupts int    // gic_data.irq_nr
	priBits    uint64 // priority bits of the CPU interface
	hasGroup0  bool
	walk       rdistWalk
}

// How long gic_do_wait_for_rwp polls.
const (
	rwpPolls = 1_000_000
	rwpDelay = sim.Microsecond
)

// BootCPU is what a CPU runs when it comes up: the boot CPU gic_init_bases, every CPU gic_cpu_init, then the per-CPU
// interrupts of its IPIs. It fails where the kernel would give up.
func (k *Kernel) BootCPU(c *cpu.CPU) error {
	if c.ID == 0 {
		if err := k.gicDistInit(c); err != nil {
			return err
		}
	}
	if err := k.gicCPUInit(c); err != nil {
		return err
	}
	p := &k.percpu[c.ID]
	c.Store(p.gicr+gic.GICR_ISENABLER0, 4, 1<<ipiCount-1, bus.Plain) // ipi_setup
	c.Store(p.rq+rqIdle, 8, p.threadInfo, bus.Plain)
	c.Store(p.threadInfo+tiPreemptCount, 8, 0, bus.Plain)
	// set_cpu_online: an atomic on a word that all CPUs read.
	c.Fence(bus.DSBSY)
	word := k.onlineAt + uint64(c.ID/64*8)
	k.online.Set(c.ID)
	setBit(c, word, c.ID%64)
	return nil
}

// gicDistInit is gic_dist_init.
func (k *Kernel) gicDistInit(c *cpu.CPU) error {
	d := k.platform.GICD
	if arch := gic.GICD_PIDR2_ArchRev.Get(c.Load(d+gic.GICD_PIDR2, 4, bus.Plain)); arch != 3 && arch != 4 {
		return fmt.Errorf("GICD_PIDR2.ArchRev is %d: no distributor of a GICv3 or GICv4 at 0x%x", arch, d)
	}
	typer := c.Load(d+gic.GICD_TYPER, 4, bus.Plain)
	k.gicd.interrupts = min(32*(int(gic.GICD_TYPER_ITLinesNumber.Get(typer))+1), int(gic.FirstSpecial))
	write := func(off, v uint64) { c.Store(d+off, 4, v, bus.Plain) }
	write(gic.GICD_CTLR, 0)
	if err := k.waitForRWP(c, d+gic.GICD_CTLR, gic.GICD_CTLR_RWP); err != nil {
		return err
	}
	n := uint64(k.gicd.interrupts)
	for i := uint64(32); i < n; i += 32 {
		write(gic.GICD_IGROUPR+i/8, 0xffff_ffff)
	}
	for i := uint64(32); i < n; i += 16 {
		write(gic.GICD_ICFGR+i/4, 0)
	}
	for i := uint64(32); i < n; i += 4 {
		write(gic.GICD_IPRIORITYR+i, defaultPriority*0x01010101)
	}
	for i := uint64(32); i < n; i += 32 {
		write(gic.GICD_ICACTIVER+i/8, 0xffff_ffff)
		write(gic.GICD_ICENABLER+i/8, 0xffff_ffff)
	}
	if err := k.waitForRWP(c, d+gic.GICD_CTLR, gic.GICD_CTLR_RWP); err != nil {
		return err
	}
	// GICD_CTLR_ARE_NS | GICD_CTLR_ENABLE_G1A | GICD_CTLR_ENABLE_G1 of the Non-secure view; with one security state the
	// same bits enable affinity routing and both groups.
	write(gic.GICD_CTLR, uint64(gic.GICD_CTLR_ARE|gic.GICD_CTLR_EnableGrp1|gic.GICD_CTLR_EnableGrp0))
	if err := k.waitForRWP(c, d+gic.GICD_CTLR, gic.GICD_CTLR_RWP); err != nil {
		return err
	}
	affinity := k.percpu[c.ID].mpidr & uint64(affinityMask)
	for i := uint64(32); i < n; i++ {
		c.Store(d+gic.GICD_IROUTER+8*i, 8, affinity, bus.Plain)
	}
	return nil
}

// waitForRWP is gic_do_wait_for_rwp.
func (k *Kernel) waitForRWP(c *cpu.CPU, addr uint64, rwp bits.Field) error {
	return k.poll(c, addr, rwp, false, "RWP")
}

// poll reads a register until a bit has a value.
func (k *Kernel) poll(c *cpu.CPU, addr uint64, field bits.Field, set bool, name string) error {
	for range rwpPolls {
		if field.Is(c.Load(addr, 4, bus.Plain)) == set {
			return nil
		}
		c.Delay(rwpDelay)
	}
	return fmt.Errorf("%s at 0x%x: timeout after %d polls", name, addr, rwpPolls)
}

// gicCPUInit is gic_cpu_init: find the redistributor, wake it, set up its interrupts, then gic_cpu_sys_reg_init.
func (k *Kernel) gicCPUInit(c *cpu.CPU) error {
	p := &k.percpu[c.ID]
	var err error
	if p.gicr, err = k.gicPopulateRdist(c); err != nil {
		return err
	}
	// gic_enable_redist
	waker := p.gicr + gic.GICR_WAKER
	c.Store(waker, 4, c.Load(waker, 4, bus.Plain)&^uint64(gic.GICR_WAKER_ProcessorSleep), bus.Plain)
	if err := k.poll(c, waker, gic.GICR_WAKER_ChildrenAsleep, false, "GICR_WAKER.ChildrenAsleep"); err != nil {
		return err
	}
	c.Store(p.gicr+gic.GICR_IGROUPR0, 4, 0xffff_ffff, bus.Plain)
	// gic_cpu_config
	c.Store(p.gicr+gic.GICR_ICACTIVER0, 4, 0xffff_ffff, bus.Plain)
	c.Store(p.gicr+gic.GICR_ICENABLER0, 4, 0xffff_ffff, bus.Plain)
	for i := uint64(0); i < 32; i += 4 {
		c.Store(p.gicr+gic.GICR_IPRIORITYR+i, 4, defaultPriority*0x01010101, bus.Plain)
	}
	// Bit 3 of GICR_CTLR. Up to 5.17 the kernel polled bit 31, that of GICD_CTLR (fixed by 0df6664531a1).
	if err := k.waitForRWP(c, p.gicr+gic.GICR_CTLR, gic.GICR_CTLR_RWP); err != nil {
		return err
	}
	return k.gicCPUSysRegInit(c)
}

// gicPopulateRdist is gic_populate_rdist: it walks the regions until GICR_TYPER names the CPU. The walks of a boot are
// together as long as the square of the CPUs, over registers that are read-only: those that another CPU has walked over
// before are charged as loads, and loaded only where someone watches.
func (k *Kernel) gicPopulateRdist(c *cpu.CPU) (uint64, error) {
	mpidr := mustReadSys(c, a64.MPIDR_EL1)
	want := affinity3.Get(mpidr)<<24 | affinity2.Get(mpidr)<<16 | affinity1.Get(mpidr)<<8 | affinity0.Get(mpidr)
	walk := &k.gicd.walk
	i := 0
	if !c.Engine().Tracing {
		i = walk.before(want)
		c.DeviceLoads(i)
	}
	for ; i <= len(walk.typers); i++ {
		frame, ok := walk.frame(i, k.platform.GICRs)
		if !ok {
			break
		}
		typer := c.Load(frame+gic.GICR_TYPER, 8, bus.Plain)
		if i == len(walk.typers) {
			walk.typers = append(walk.typers, typer)
		}
		if gic.GICR_TYPER_Affinity_Value.Get(typer) == want {
			return frame, nil
		}
	}
	return 0, fmt.Errorf("%s: no redistributor with affinity 0x%x", c, want)
}

// gicCPUSysRegInit is gic_cpu_sys_reg_init.
func (k *Kernel) gicCPUSysRegInit(c *cpu.CPU) error {
	mustWriteSys(c, gic.ICC_SRE_EL1, mustReadSys(c, gic.ICC_SRE_EL1)|uint64(gic.ICC_SRE_EL1_SRE))
	c.Synchronize()
	if !gic.ICC_SRE_EL1_SRE.Is(mustReadSys(c, gic.ICC_SRE_EL1)) {
		return fmt.Errorf("%s: unable to set ICC_SRE_EL1.SRE", c)
	}
	priBits := gic.ICC_CTLR_EL1_PRIbits.Get(mustReadSys(c, gic.ICC_CTLR_EL1)) + 1
	if c.ID == 0 {
		k.gicd.priBits = priBits
		// gic_has_group0: the highest priority but zero survives in ICC_PMR_EL1 only where software sees the Secure range.
		mustWriteSys(c, gic.ICC_PMR_EL1, 1<<(8-priBits))
		k.gicd.hasGroup0 = mustReadSys(c, gic.ICC_PMR_EL1) != 0
	}
	mustWriteSys(c, gic.ICC_PMR_EL1, 0xf0) // DEFAULT_PMR_VALUE
	mustWriteSys(c, gic.ICC_BPR1_EL1, 0)   // clamped to the implementation's minimum
	mode := uint64(0)
	if k.Options.EOImode1 {
		mode = uint64(gic.ICC_CTLR_EL1_EOImode)
	}
	mustWriteSys(c, gic.ICC_CTLR_EL1, mode)
	if k.gicd.hasGroup0 {
		clearActivePriorities(c, priBits, gic.ICC_AP0R0_EL1)
		c.Synchronize()
	}
	clearActivePriorities(c, priBits, gic.ICC_AP1R0_EL1)
	c.Synchronize()
	mustWriteSys(c, gic.ICC_IGRPEN1_EL1, 1)
	return nil
}

// clearActivePriorities zeroes as many of four registers as the priority bits make exist.
func clearActivePriorities(c *cpu.CPU, priBits uint64, first bits.SysReg) {
	count := bits.SysReg(1)
	switch priBits {
	case 6:
		count = 2
	case 7, 8:
		count = 4
	}
	for n := range count {
		mustWriteSys(c, first+n, 0) // the four encodings differ in op2 only
	}
}
