package irqchip

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Platform is what firmware says of the GIC.
type Platform struct {
	MPIDRs []uint64     // of the logical CPUs, cpu_logical_map
	GICD   uint64       // physical address of the distributor
	GICRs  []GICRRegion // redistributor regions, as in the device tree
	GITS   uint64       // physical address of the ITS, 0 if there is none

	// Reserve gives the driver zeroed, aligned memory that is in no cache, and Fill what it is full of: what a kernel does
	// with a table before anything uses it.
	Reserve func(size, align uint64) (uint64, error)
	Fill    func(addr, size uint64, b byte)
}

// A GICRRegion is one contiguous region of redistributors.
type GICRRegion struct {
	Base, Size uint64
}

// GICv3 is [linux.IRQChip] for the GICv3.
type GICv3 struct {
	Options Options
	Ops     Ops

	kernel   *linux.Kernel
	platform Platform
	data     gicData
	percpu   []percpu
	barriers [barriers]bus.Fence // of Options.IPIBarrier; the first is unused
	dsbSY    bus.Fence
	dsbISHST bus.Fence
	its      *itsNode // nil: none
	saved    checkpoint
	cost     struct{ sendMask, targetList, handleIRQ, maskWord sim.Time }
}

// gicData is struct gic_chip_data and the static keys: what the boot CPU finds out once and all only read afterwards.
type gicData struct {
	interrupts int    // gic_data.irq_nr
	priBits    uint64 // priority bits of the CPU interface
	hasGroup0  bool
	walk       rdistWalk
	// redistributors are those that firmware lists, counted if SGIBroadcast is BroadcastFixed.
	redistributors int
}

// percpu is what the driver knows of one CPU.
type percpu struct {
	mpidr uint64
	gicr  uint64 // its redistributor, found at boot
	sgi   sgiTarget
}

// NewGICv3 makes the driver. [GICv3.Init] and [GICv3.StartingCPU] make it run.
func NewGICv3(kernel *linux.Kernel, options Options, platform Platform) *GICv3 {
	g := &GICv3{
		Options: options, kernel: kernel, platform: platform, percpu: make([]percpu, len(platform.MPIDRs)),
		dsbSY: kernel.Barrier("dsb(sy)"), dsbISHST: kernel.Barrier("dsb(ishst)"),
	}
	g.its = newITS(g, options.ITS)
	g.Ops.GICIPISendMask = g.gicIPISendMask
	for b := BarrierNone + 1; b < barriers; b++ {
		g.barriers[b] = kernel.Barrier(b.macro())
	}
	for i, mpidr := range platform.MPIDRs {
		g.percpu[i] = percpu{mpidr: mpidr, sgi: newSGITarget(mpidr)}
	}
	cycles, costs := kernel.Clock().Cycles, &kernel.Costs
	g.cost.sendMask, g.cost.targetList, g.cost.handleIRQ, g.cost.maskWord =
		cycles(costs.SendMask), cycles(costs.TargetList), cycles(costs.HandleIRQ), cycles(costs.MaskWord)
	return g
}

// checkpoint is what programs change in the driver.
type checkpoint struct {
	options Options
	ops     Ops
	its     itsNode
}

// Save implements [linux.IRQChip].
func (g *GICv3) Save() {
	g.saved = checkpoint{options: g.Options, ops: g.Ops}
	if g.its != nil {
		g.saved.its = g.its.checkpoint()
	}
}

// Restore implements [linux.IRQChip].
func (g *GICv3) Restore() {
	g.Options, g.Ops = g.saved.options, g.saved.ops
	if g.its != nil {
		g.its.restore(&g.saved.its)
	}
}

// Describe implements [linux.IRQChip].
func (g *GICv3) Describe() string {
	text := "ipi_barrier " + g.Options.IPIBarrier.String()
	if b := g.Options.SGIBroadcast; b != BroadcastList {
		text += ", sgi_broadcast " + b.String()
	}
	if g.Options.PseudoNMI {
		text += ", pseudo-NMIs"
	}
	if g.its != nil {
		text += ", ITS driver of " + g.its.options.Version.String()
	}
	return text
}

// Symbol names an address in what the driver of the ITS has allocated, "" for any other address.
func (g *GICv3) Symbol(addr uint64) string {
	if g.its == nil {
		return ""
	}
	return g.its.symbol(addr)
}

// SendsIPI implements [linux.IRQChip].
func (g *GICv3) SendsIPI(r bits.SysReg) bool { return r == gic.ICC_SGI1R_EL1 }

// sgiTarget is a CPU's place in ICC_SGI1R_EL1.
type sgiTarget struct {
	cluster uint64 // everything but TargetList and INTID
	bit     uint64 // TargetList
}

// newSGITarget splits an MPIDR as MPIDR_TO_SGI_CLUSTER_ID and MPIDR_TO_SGI_RS do.
func newSGITarget(mpidr uint64) sgiTarget {
	aff0 := affinity0.Get(mpidr)
	w := gic.ICC_SGI1R_EL1_Aff1.Put(0, affinity1.Get(mpidr))
	w = gic.ICC_SGI1R_EL1_Aff2.Put(w, affinity2.Get(mpidr))
	w = gic.ICC_SGI1R_EL1_Aff3.Put(w, affinity3.Get(mpidr))
	w = gic.ICC_SGI1R_EL1_RS.Put(w, aff0/16)
	return sgiTarget{cluster: w, bit: 1 << (aff0 % 16)}
}

// MaskPercpu implements [linux.IRQChip]. What is pending stays so.
func (g *GICv3) MaskPercpu(c *cpu.CPU, set uint32) {
	c.Store(g.percpu[c.ID].gicr+gic.GICR_ICENABLER0, 4, uint64(set), bus.Plain)
}

// UnmaskPercpu implements [linux.IRQChip].
func (g *GICv3) UnmaskPercpu(c *cpu.CPU, set uint32) {
	c.Store(g.percpu[c.ID].gicr+gic.GICR_ISENABLER0, 4, uint64(set), bus.Plain)
}

// IPISendMask implements [linux.IRQChip].
func (g *GICv3) IPISendMask(c *cpu.CPU, intid int, mask linux.CPUMask) {
	g.kernel.PushDriverFrame(c)
	g.Ops.GICIPISendMask(c, intid, mask)
}

// gicIPISendMask is gic_ipi_send_mask: the barrier, one register write for each group of targets that one target list
// reaches, and an ISB.
func (g *GICv3) gicIPISendMask(c *cpu.CPU, intid int, mask linux.CPUMask) {
	c.Enter("gic_ipi_send_mask")
	c.Delay(g.cost.sendMask)
	if b := g.Options.IPIBarrier; b != BarrierNone {
		c.Fence(g.barriers[b])
	}
	if g.Options.SGIBroadcast == BroadcastList || !g.broadcast(c, intid, mask) {
		g.sendLists(c, intid, mask)
	}
	g.kernel.Arch.ISB(c) // Force the above writes to ICC_SGI1R_EL1 to be executed.
	c.Leave()
}

// sendLists writes ICC_SGI1R_EL1 for each group of targets.
func (g *GICv3) sendLists(c *cpu.CPU, intid int, mask linux.CPUMask) {
	for target := g.kernel.NextCPU(c, mask, 0); target >= 0; {
		var w uint64
		w, target = g.ComputeTargetList(c, mask, target)
		g.SendSGI(c, w|gic.ICC_SGI1R_EL1_INTID.Put(0, uint64(intid)))
	}
}

// SendSGI is the write to ICC_SGI1R_EL1, gic_write_sgi1r.
func (g *GICv3) SendSGI(c *cpu.CPU, w uint64) {
	g.kernel.ProbeSend(c)
	g.kernel.Arch.WriteSysreg(c, gic.ICC_SGI1R_EL1, w)
}

// ComputeTargetList is gic_compute_target_list: it takes CPUs from the mask, in logical order, while they are in the
// cluster of the first. It answers the register's value without INTID, and the first CPU that was left, -1 if none.
func (g *GICv3) ComputeTargetList(c *cpu.CPU, mask linux.CPUMask, target int) (w uint64, next int) {
	c.Delay(g.cost.targetList)
	cluster := g.percpu[target].sgi.cluster
	w = cluster
	for target >= 0 && g.percpu[target].sgi.cluster == cluster {
		w |= g.percpu[target].sgi.bit
		target = g.kernel.NextCPU(c, mask, target+1)
	}
	return w, target
}
