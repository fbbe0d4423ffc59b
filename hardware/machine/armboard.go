package machine

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/arm64"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// ArmBoard is a board of Arm PEs and a GICv3.
type ArmBoard struct {
	name  string
	spec  *ArmSpec
	cores []armCore
	gic   gicPart
	its   *itsPart  // nil: none
	smmu  *smmuPart // nil: none
	seed  uint64

	memory *mem.Memory
	places []mem.Place
	wires  [wireKinds]sim.Jitter

	driver *irqchip.GICv3
	states *gicv3.States // of the GIC, once executions are explored
}

// Build is BoardSpec.
func (b *ArmSpec) Build(m *Machine) (Board, error) {
	s := &m.Spec
	pe, ports := b.pe(s), make([]gicv3.CPUPort, s.CPUs)
	if err := pe.Validate(); err != nil {
		return nil, err
	}
	board := &ArmBoard{
		name: s.Name, spec: b, cores: make([]armCore, s.CPUs), seed: s.Seed, places: m.places, wires: s.wires(),
		memory: m.Memory,
	}
	for i := range board.cores {
		pe.Affinity = b.mpidr(s, i)
		board.cores[i].PE = arm.New(i, pe, m.Engine)
		ports[i] = board.cores[i].PE
	}
	controller, err := gicv3.New(b.gic(s), m.Engine, board, ports)
	if err != nil {
		return nil, err
	}
	board.gic = gicPart{GIC: controller, board: board}
	controller.SetWaker(board)
	peers := make([]*arm.PE, s.CPUs)
	for i := range board.cores {
		c := &board.cores[i]
		c.gic, peers[i] = controller.CPUInterface(i), c.PE
		c.Connect(m.Memory, &m.Devices, c.gic, peers)
		c.SetFirmware(board)
		if err := board.connectTimers(i); err != nil {
			return nil, err
		}
	}
	if err := board.mapFrames(&m.Devices); err != nil {
		return board, err
	}
	if b.ITS != nil {
		if err := board.buildITS(m); err != nil {
			return board, err
		}
	}
	if b.SMMU != nil {
		return board, board.buildSMMU(m)
	}
	return board, nil
}

// The private interrupts of the EL1 timers, as Arm's Base System Architecture (DEN 0094) assigns them.
const (
	virtualTimerPPI  gic.INTID = 27
	physicalTimerPPI gic.INTID = 30
)

func (b *ArmBoard) connectTimers(cpu int) error {
	physical, err := b.gic.PPI(cpu, physicalTimerPPI)
	if err != nil {
		return err
	}
	virtual, err := b.gic.PPI(cpu, virtualTimerPPI)
	if err != nil {
		return err
	}
	b.cores[cpu].ConnectTimers(physical, virtual)
	return nil
}

// mapFrames places the GIC's frames.
func (b *ArmBoard) mapFrames(devices *bus.Map) error {
	err := devices.Add(bus.Region{
		Name: "GICD", Base: bus.Addr(b.spec.GICDBase), Size: uint64(gic.FrameSize), Device: b.gic.Distributor(),
	})
	g := b.gic.Spec()
	for i := 0; err == nil && i < len(b.cores); i++ {
		err = devices.Add(bus.Region{
			Name: fmt.Sprintf("GICR%d", i), Base: g.RedistributorBase(i), Size: g.Stride(), Device: b.gic.Redistributor(i),
		})
	}
	return err
}

// Core is Board.
func (b *ArmBoard) Core(cpu int) Core { return &b.cores[cpu] }

// Parts is Board.
func (b *ArmBoard) Parts() []Part {
	parts := []Part{&b.gic}
	if b.its != nil {
		parts = append(parts, b.its)
	}
	if b.smmu != nil {
		parts = append(parts, b.smmu)
	}
	return parts
}

// Arch is Board.
func (b *ArmBoard) Arch() linux.Arch {
	if b.spec.Driver.PseudoNMI {
		return &arm.Asm{IRQOn: irqchip.PrioIRQOn, IRQOff: irqchip.PrioIRQOff}
	}
	return &arm.Asm{}
}

// Plug is Board. The driver knows of the GIC what the device tree says.
func (b *ArmBoard) Plug(k *linux.Kernel) {
	g := b.gic.Spec()
	p := irqchip.Platform{MPIDRs: g.MPIDRs, GICD: b.spec.GICDBase, Reserve: b.memory.Reserve, Fill: b.fill}
	if b.spec.ITS != nil {
		p.GITS = b.spec.ITS.Base
	}
	for _, r := range g.Regions {
		p.GICRs = append(p.GICRs, irqchip.GICRRegion{Base: uint64(r.Base), Size: uint64(r.Count) * g.Stride()})
	}
	b.driver = irqchip.NewGICv3(k, b.spec.Driver, p)
	k.Plug(b.driver, arm64.New(k, b.driver, b.spec.Driver.PseudoNMI))
}

// Driver is the kernel's driver of the GIC.
func (b *ArmBoard) Driver() *irqchip.GICv3 { return b.driver }

// DistributorBase is the physical address of GICD.
func (b *ArmBoard) DistributorBase() uint64 { return b.spec.GICDBase }

// GIC is the interrupt controller.
func (b *ArmBoard) GIC() *gicv3.GIC { return b.gic.GIC }

// PE is the core of a CPU as what it is.
func (b *ArmBoard) PE(cpu int) *arm.PE { return b.cores[cpu].PE }

// The kinds of wires, by what they lead across.
const (
	wireOnDie = iota
	wireCrossDie
	wireCrossSocket

	wireKinds
)

// wires is how long an SGI travels: the transport, and one leg to another die or socket.
func (s *Spec) wires() (w [wireKinds]sim.Jitter) {
	base := s.spread(SGITransport)
	w[wireOnDie] = sim.NewJitter(base)
	w[wireCrossDie] = sim.NewJitter(base.Plus(s.spread(LegDie)))
	w[wireCrossSocket] = sim.NewJitter(base.Plus(s.spread(LegSocket)))
	return w
}

// SGI is gicv3.Wires: how long the n-th SGI between two PEs travels.
func (b *ArmBoard) SGI(from, to int, n uint64) sim.Time {
	kind, p, q := wireOnDie, &b.places[from], &b.places[to]
	switch {
	case p.Socket != q.Socket:
		kind = wireCrossSocket
	case p.Die != q.Die:
		kind = wireCrossDie
	}
	return b.wires[kind].At(b.seed, uint64(from)<<32|uint64(to)|sgiWires, n)
}

// WakeRequest is gicv3.Waker: the power controller passes it on.
func (b *ArmBoard) WakeRequest(cpu int, wanted bool) { b.cores[cpu].SetWakeRequest(wanted) }

// Powered is arm.Firmware: the redistributor of a PE that is switched off goes to sleep, or loses its power as well.
func (b *ArmBoard) Powered(pe int, on bool) {
	if b.spec.RedistributorsOff {
		b.gic.SetPower(pe, on)
	} else {
		b.gic.SetSleep(pe, !on)
	}
}

// sgiWires keeps the jitter of wires apart from that of lines, whose keys are line numbers.
const sgiWires = 1 << 63

// Line is InterruptLines: INTIDs of PPIs and SPIs.
func (b *ArmBoard) Line(number, cpu int) (bus.Line, error) {
	id := gic.INTID(number)
	limit := int(gic.FirstSPI) + b.gic.Spec().NumSPIs
	switch {
	case id < gic.FirstPPI:
		return nil, fmt.Errorf("INTID %d is an SGI, which has no wire: a write of ICC_SGI1R_EL1 sends it", number)
	case id < gic.FirstSPI && cpu == NoCPU:
		return nil, fmt.Errorf("INTID %d is a PPI, of which each CPU has its own: name the CPU", number)
	case id == physicalTimerPPI || id == virtualTimerPPI:
		return nil, fmt.Errorf("INTID %d is the wire of CPU%d's own generic timer: want another PPI", number, cpu)
	case id < gic.FirstSPI:
		return b.gic.PPI(cpu, id)
	case id >= gic.FirstLPI:
		return nil, fmt.Errorf("INTID %d is an LPI, which has no wire: a message makes it pending", number)
	case number >= limit:
		return nil, fmt.Errorf("INTID %d does not exist: the SPIs of %s are 32 to %d", number, b.name, limit-1)
	case cpu != NoCPU:
		return nil, fmt.Errorf("INTID %d is an SPI, which belongs to no CPU: GICD_IROUTER%d says where it goes", number,
			number)
	}
	return b.gic.SPI(id)
}

// softwareSGI is the INTID of [SoftwareInterrupts], one of those that the kernel enables at boot. Who uses it handles
// interrupts in place of the kernel.
const softwareSGI = 3

// sgiTo is the value of ICC_SGI1R_EL1 for one PE.
func (b *ArmBoard) sgiTo(target int) uint64 {
	mpidr := b.cores[target].MPIDR()
	aff0 := a64.MPIDR_EL1_Aff0.Get(mpidr)
	v := gic.ICC_SGI1R_EL1_INTID.Put(0, softwareSGI)
	v = gic.ICC_SGI1R_EL1_Aff1.Put(v, a64.MPIDR_EL1_Aff1.Get(mpidr))
	v = gic.ICC_SGI1R_EL1_Aff2.Put(v, a64.MPIDR_EL1_Aff2.Get(mpidr))
	v = gic.ICC_SGI1R_EL1_RS.Put(v, aff0/16)
	return gic.ICC_SGI1R_EL1_TargetList.Put(v, 1<<(aff0%16))
}

// Send is SoftwareInterrupts.
func (b *ArmBoard) Send(c *cpu.CPU, target int) { c.WriteSys(gic.ICC_SGI1R_EL1, b.sgiTo(target)) }

// Raise is SoftwareInterrupts.
func (b *ArmBoard) Raise(target int) {
	b.gic.CPUInterface(0).WriteSys(gic.ICC_SGI1R_EL1, b.sgiTo(target))
}

// Take is SoftwareInterrupts.
func (b *ArmBoard) Take(c *cpu.CPU) (number uint64, sent bool) {
	number, _ = c.ReadSys(gic.ICC_IAR1_EL1)
	return number, number == softwareSGI
}

// End is SoftwareInterrupts.
func (b *ArmBoard) End(c *cpu.CPU, number uint64) {
	c.WriteSys(gic.ICC_EOIR1_EL1, number)
	c.WriteSys(gic.ICC_DIR_EL1, number)
}

// armCore is a PE as a Core.
type armCore struct {
	*arm.PE
	gic   *gicv3.CPUInterface
	saved arm.Checkpoint
}

func (c *armCore) CPU() *cpu.CPU { return c.PE.CPU }

func (c *armCore) Save() { c.saved = c.PE.Save() }

func (c *armCore) Restore() { c.PE.Restore(&c.saved) }

func (c *armCore) Problem() string { return "" }

func (c *armCore) Describe() string {
	v, _ := c.PE.ReadSys(a64.MIDR_EL1)
	return fmt.Sprintf("Arm PE, MIDR_EL1 0x%x, counter at %d MHz", v, c.CounterFreq()/sim.Megahertz)
}

// ReadClock is __arch_counter_get_cntvct, in time.
func (c *armCore) ReadClock() sim.Time {
	n, _ := c.PE.CPU.ReadSys(a64.CNTVCT_EL0)
	return c.CounterFreq().Cycles(int64(n))
}

func (c *armCore) InspectSys(r bits.SysReg) (uint64, error) {
	name, _ := arm.DecodeSysReg(r, 0)
	if group, found := strings.CutPrefix(name, "ICC_IAR"); found {
		return 0, fmt.Errorf("reading %s acknowledges an interrupt, which only the CPU's program can do; ICC_HPPIR%s shows "+
			"what is pending", name, group)
	}
	v, ok := c.PE.ReadSys(r)
	if !ok {
		return 0, fmt.Errorf("%s cannot be read: MRS of it is UNDEFINED", name)
	}
	return v, nil
}

func (c *armCore) Dump(w io.Writer, epoch sim.Time) {
	c.PE.Dump(w, epoch)
	c.gic.Dump(w)
}

// gicPart is the GIC as a Part.
type gicPart struct {
	*gicv3.GIC
	board *ArmBoard
	saved *gicv3.Checkpoint
}

func (g *gicPart) Save() { g.saved = g.GIC.Save() }

func (g *gicPart) Restore() { g.GIC.Restore(g.saved) }

// Problem is an interrupt that nobody took.
func (g *gicPart) Problem() string {
	if cpu, intid, found := g.Unanswered(); found && !g.board.cores[cpu].IRQMasked() {
		return fmt.Sprintf("lost interrupt: INTID %d is pending at CPU%d", intid, cpu)
	}
	return ""
}

func (g *gicPart) Describe() string {
	return fmt.Sprintf("GICv3, %d SPIs, distributor at 0x%x", g.Spec().NumSPIs, g.board.spec.GICDBase)
}
