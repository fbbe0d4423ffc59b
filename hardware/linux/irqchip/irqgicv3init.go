package irqchip

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

const (
	affinity0 = a64.MPIDR_EL1_Aff0
	affinity1 = a64.MPIDR_EL1_Aff1
	affinity2 = a64.MPIDR_EL1_Aff2
	affinity3 = a64.MPIDR_EL1_Aff3

	affinityMask = affinity0 | affinity1 | affinity2 | affinity3
)

// How long gic_do_wait_for_rwp polls.
const (
	rwpPolls = 1_000_000
	rwpDelay = sim.Microsecond
)

// defaultPriority is GICD_INT_DEF_PRI.
const defaultPriority = 0xa0

// Init implements [linux.IRQChip]: what gic_init_bases does beside gic_cpu_init.
func (g *GICv3) Init(c *cpu.CPU) error {
	if g.Options.SGIBroadcast == BroadcastFixed {
		g.countRedistributors(c)
	}
	if g.its == nil {
		return g.gicDistInit(c)
	}
	probe := func(c *cpu.CPU) error { // gic_init_bases: 4.9 has its_init before gic_dist_init, 5.17 behind gic_cpu_init
		if !gic.GICD_TYPER_LPIS.Is(c.Load(g.platform.GICD+gic.GICD_TYPER, 4, bus.Plain)) { // gic_dist_supports_lpis
			return fmt.Errorf("GICD_TYPER.LPIS is 0, and there is an ITS")
		}
		return g.its.probe(c)
	}
	steps := []func(c *cpu.CPU) error{g.gicDistInit, probe}
	if g.Options.ITS.Version == ITS49 {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		if err := step(c); err != nil {
			return err
		}
	}
	return nil
}

// defaultPrio is the priority of interrupts.
func (g *GICv3) defaultPrio() uint64 {
	if g.Options.PseudoNMI {
		return prioIRQBytes
	}
	return defaultPriority * 0x01010101
}

// StartingCPU implements [linux.IRQChip]: gic_starting_cpu.
func (g *GICv3) StartingCPU(c *cpu.CPU) error {
	if err := g.gicCPUInit(c); err != nil || g.its == nil {
		return err
	}
	return g.its.cpuInit(c)
}

// gicDistInit is gic_dist_init.
func (g *GICv3) gicDistInit(c *cpu.CPU) error {
	d := g.platform.GICD
	if arch := gic.GICD_PIDR2_ArchRev.Get(c.Load(d+gic.GICD_PIDR2, 4, bus.Plain)); arch != 3 && arch != 4 {
		return fmt.Errorf("GICD_PIDR2.ArchRev is %d: no distributor of a GICv3 or GICv4 at 0x%x", arch, d)
	}
	typer := c.Load(d+gic.GICD_TYPER, 4, bus.Plain)
	g.data.interrupts = min(32*(int(gic.GICD_TYPER_ITLinesNumber.Get(typer))+1), int(gic.FirstSpecial))
	write := func(off, v uint64) { c.Store(d+off, 4, v, bus.Plain) }
	write(gic.GICD_CTLR, 0)
	if err := g.waitForRWP(c, d+gic.GICD_CTLR, gic.GICD_CTLR_RWP); err != nil {
		return err
	}
	n := uint64(g.data.interrupts)
	for i := uint64(32); i < n; i += 32 {
		write(gic.GICD_IGROUPR+i/8, 0xffff_ffff)
	}
	for i := uint64(32); i < n; i += 16 {
		write(gic.GICD_ICFGR+i/4, 0)
	}
	for i := uint64(32); i < n; i += 4 {
		write(gic.GICD_IPRIORITYR+i, g.defaultPrio())
	}
	for i := uint64(32); i < n; i += 32 {
		write(gic.GICD_ICACTIVER+i/8, 0xffff_ffff)
		write(gic.GICD_ICENABLER+i/8, 0xffff_ffff)
	}
	if err := g.waitForRWP(c, d+gic.GICD_CTLR, gic.GICD_CTLR_RWP); err != nil {
		return err
	}
	// GICD_CTLR_ARE_NS | GICD_CTLR_ENABLE_G1A | GICD_CTLR_ENABLE_G1 of the Non-secure view; with one security state the
	// same bits enable affinity routing and both groups.
	write(gic.GICD_CTLR, uint64(gic.GICD_CTLR_ARE|gic.GICD_CTLR_EnableGrp1|gic.GICD_CTLR_EnableGrp0))
	if err := g.waitForRWP(c, d+gic.GICD_CTLR, gic.GICD_CTLR_RWP); err != nil {
		return err
	}
	affinity := g.percpu[c.ID].mpidr & uint64(affinityMask)
	for i := uint64(32); i < n; i++ {
		c.Store(d+gic.GICD_IROUTER+8*i, 8, affinity, bus.Plain)
	}
	return nil
}

// waitForRWP is gic_do_wait_for_rwp.
func (g *GICv3) waitForRWP(c *cpu.CPU, addr uint64, rwp bits.Field) error {
	return g.poll(c, addr, rwp, false, "RWP")
}

// poll reads a register until a bit has a value.
func (g *GICv3) poll(c *cpu.CPU, addr uint64, field bits.Field, set bool, name string) error {
	for range rwpPolls {
		if field.Is(c.Load(addr, 4, bus.Plain)) == set {
			return nil
		}
		c.Delay(rwpDelay)
	}
	return fmt.Errorf("%s at 0x%x: timeout after %d polls", name, addr, rwpPolls)
}

// gicCPUInit is gic_cpu_init: find the redistributor, wake it, set up its interrupts, then gic_cpu_sys_reg_init.
func (g *GICv3) gicCPUInit(c *cpu.CPU) error {
	p := &g.percpu[c.ID]
	var err error
	if p.gicr, err = g.gicPopulateRdist(c); err != nil {
		return err
	}
	// gic_enable_redist
	waker := p.gicr + gic.GICR_WAKER
	c.Store(waker, 4, c.Load(waker, 4, bus.Plain)&^uint64(gic.GICR_WAKER_ProcessorSleep), bus.Plain)
	if err := g.poll(c, waker, gic.GICR_WAKER_ChildrenAsleep, false, "GICR_WAKER.ChildrenAsleep"); err != nil {
		return err
	}
	c.Store(p.gicr+gic.GICR_IGROUPR0, 4, 0xffff_ffff, bus.Plain)
	// gic_cpu_config
	c.Store(p.gicr+gic.GICR_ICACTIVER0, 4, 0xffff_ffff, bus.Plain)
	c.Store(p.gicr+gic.GICR_ICENABLER0, 4, 0xffff_ffff, bus.Plain)
	for i := uint64(0); i < 32; i += 4 {
		c.Store(p.gicr+gic.GICR_IPRIORITYR+i, 4, g.defaultPrio(), bus.Plain)
	}
	// Bit 3 of GICR_CTLR. Up to 5.17 the kernel polled bit 31, that of GICD_CTLR (fixed by 0df6664531a1).
	if err := g.waitForRWP(c, p.gicr+gic.GICR_CTLR, gic.GICR_CTLR_RWP); err != nil {
		return err
	}
	return g.gicCPUSysRegInit(c)
}

// gicCPUSysRegInit is gic_cpu_sys_reg_init.
func (g *GICv3) gicCPUSysRegInit(c *cpu.CPU) error {
	arch := g.kernel.Arch
	arch.WriteSysreg(c, gic.ICC_SRE_EL1, arch.ReadSysreg(c, gic.ICC_SRE_EL1)|uint64(gic.ICC_SRE_EL1_SRE))
	arch.ISB(c)
	if !gic.ICC_SRE_EL1_SRE.Is(arch.ReadSysreg(c, gic.ICC_SRE_EL1)) {
		return fmt.Errorf("%s: unable to set ICC_SRE_EL1.SRE", c)
	}
	priBits := gic.ICC_CTLR_EL1_PRIbits.Get(arch.ReadSysreg(c, gic.ICC_CTLR_EL1)) + 1
	if c.ID == 0 {
		g.data.priBits = priBits
		// gic_has_group0: the highest priority but zero survives in ICC_PMR_EL1 only where software sees the Secure range.
		arch.WriteSysreg(c, gic.ICC_PMR_EL1, 1<<(8-priBits))
		g.data.hasGroup0 = arch.ReadSysreg(c, gic.ICC_PMR_EL1) != 0
	}
	pmr := uint64(0xf0) // DEFAULT_PMR_VALUE
	if g.Options.PseudoNMI {
		pmr = PrioIRQOn
	}
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, pmr)
	arch.WriteSysreg(c, gic.ICC_BPR1_EL1, 0) // clamped to the implementation's minimum
	mode := uint64(0)
	if g.Options.EOImode1 {
		mode = uint64(gic.ICC_CTLR_EL1_EOImode)
	}
	arch.WriteSysreg(c, gic.ICC_CTLR_EL1, mode)
	if g.data.hasGroup0 {
		clearActivePriorities(arch, c, priBits, gic.ICC_AP0R0_EL1)
		arch.ISB(c)
	}
	clearActivePriorities(arch, c, priBits, gic.ICC_AP1R0_EL1)
	arch.ISB(c)
	arch.WriteSysreg(c, gic.ICC_IGRPEN1_EL1, 1)
	return nil
}

// clearActivePriorities zeroes as many of four registers as the priority bits make exist.
func clearActivePriorities(arch linux.Arch, c *cpu.CPU, priBits uint64, first bits.SysReg) {
	count := bits.SysReg(1)
	switch priBits {
	case 6:
		count = 2
	case 7, 8:
		count = 4
	}
	for n := range count {
		arch.WriteSysreg(c, first+n, 0) // the four encodings differ in op2 only
	}
}
