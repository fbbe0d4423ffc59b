package gicv3

import (
	"fmt"
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// CPUPort is a PE as its CPU interface sees it.
type CPUPort interface {
	// SetIRQ and SetFIQ drive the PE's interrupt inputs. They are called when the level changes.
	SetIRQ(level bool)
	SetFIQ(level bool)
	// Now is the time of the PE's program, which runs ahead of the engine's: the time at which its system register
	// writes leave.
	Now() sim.Time
}

// Wires says how long an SGI travels.
type Wires interface {
	// SGI is the latency from one PE to another of the n-th SGI, from 0, between the two.
	SGI(from, to int, n uint64) sim.Time
}

// Waker is the power controller that GICR_WAKER's handshake is with.
type Waker interface {
	// WakeRequest says that a sleeping PE has an interrupt to wake up for, or no longer has. It must not call the GIC.
	WakeRequest(cpu int, wanted bool)
}

// GIC is one interrupt controller.
type GIC struct {
	spec    Spec
	eng     *sim.Engine
	latency Wires
	waker   Waker
	dist    Distributor
	redists []Redistributor
	lookup  clusterTable
	rwp     sim.Channel
	used    []*wire                      // in the order of their first use
	epoch   uint32                       // counts resets; messages of an earlier epoch are void
	caught  func(to int, message uint64) // takes SGIs in place of the wires, see States
	chosen  func()                       // hears of a PE that was chosen among several
	wired   func(w Wire, level bool)     // takes levels in place of the GIC, see States
	refuse  func()                       // hears that an LPI is to be looked up, see States
	dirty   []int16                      // redistributors whose outputs must be looked at before the present step ends
}

// New builds a GIC at its reset state. There is one port for each MPIDR of the Spec.
func New(spec Spec, eng *sim.Engine, wires Wires, cpus []CPUPort) (*GIC, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if len(cpus) != len(spec.MPIDRs) {
		return nil, fmt.Errorf("gicv3: %d CPU ports for %d MPIDRs", len(cpus), len(spec.MPIDRs))
	}
	g := &GIC{spec: spec, eng: eng, latency: wires}
	var err error
	if g.lookup, err = newClusterTable(spec.MPIDRs); err != nil {
		return nil, err
	}
	g.dirty = make([]int16, 0, len(cpus))
	g.dist.init(g)
	g.redists = make([]Redistributor, len(cpus))
	for i := range g.redists {
		r := &g.redists[i]
		r.g, r.index, r.port = g, int16(i), cpus[i]
		r.typer = spec.redistributorTyper(i)
		r.cpu.r = r
		r.reset()
	}
	eng.Register(&g.rwp, "GIC register writes")
	return g, nil
}

// SetWaker connects the power controller.
func (g *GIC) SetWaker(w Waker) { g.waker = w }

// Spec returns what the GIC was built from.
func (g *GIC) Spec() Spec { return g.spec }

// CPUs is the number of PEs.
func (g *GIC) CPUs() int { return len(g.redists) }

// Distributor is the register frame of the distributor, 64 KiB.
func (g *GIC) Distributor() *Distributor { return &g.dist }

// Redistributor is the register frame of a PE's redistributor, [Spec.Stride] bytes.
func (g *GIC) Redistributor(cpu int) *Redistributor { return &g.redists[cpu] }

// CPUInterface is the ICC_*_EL1 registers of a PE.
func (g *GIC) CPUInterface(cpu int) *CPUInterface { return &g.redists[cpu].cpu }

// Reset puts everything to its power-on state: wires low, nothing in flight, all PEs powered.
func (g *GIC) Reset() {
	g.epoch++
	g.dist.reset()
	for i := range g.redists {
		g.redists[i].reset()
	}
}

// SetPower turns a PE's redistributor and CPU interface on or off. What they knew is lost; an SGI that arrives
// while they are off is dropped.
func (g *GIC) SetPower(cpu int, on bool) {
	r := &g.redists[cpu]
	if r.powered == on {
		return
	}
	g.dist.changed = true
	r.clear()
	r.powered = on
	g.dist.recount(r)
	r.participationChanged()
	g.settle()
}

// touch marks a redistributor's outputs to be looked at by settle.
func (g *GIC) touch(r *Redistributor) {
	if !r.dirty {
		r.dirty = true
		g.dirty = append(g.dirty, r.index)
	}
}

// settle updates the outputs of the redistributors that were touched. Outputs change once, at the end of a step, so
// that no wire shows a level that the step only passes through.
func (g *GIC) settle() {
	for _, i := range g.dirty {
		r := &g.redists[i]
		r.dirty = false
		r.update()
	}
	g.dirty = g.dirty[:0]
}

// holdRWP starts the time for which a register write shows as pending. The channel delivers in order and the delay is
// constant, so the counters count.
func (g *GIC) holdRWP(counter *int, who uint64) {
	if g.spec.RWPDelay == 0 {
		return
	}
	*counter++
	g.eng.Post(&g.rwp, g.eng.Now()+g.spec.RWPDelay, g, who<<32|uint64(g.epoch))
}

// rwpDistributor is holdRWP's number of the distributor; redistributors have their own. answers is set in that of a
// handshake of GICR_WAKER.
const (
	rwpDistributor = MaxCPUs
	answers        = 1 << 16
)

// Fire ends the time of one register write.
func (g *GIC) Fire(_ sim.Time, arg uint64) {
	who := arg >> 32
	g.dist.changed = true
	switch {
	case uint32(arg) != g.epoch:
	case who&answers != 0:
		g.answer(int(who) &^ answers)
		g.settle()
	case who == rwpDistributor:
		g.dist.rwp--
	default:
		g.redists[who].released()
	}
}

// PPI is the wire of a private interrupt, INTID 16 to 31, of one PE.
func (g *GIC) PPI(cpu int, id gic.INTID) (bus.Line, error) {
	if id < gic.FirstPPI || id >= gic.FirstSPI {
		return nil, fmt.Errorf("gicv3: PPI %d: want INTID 16 to 31", id)
	}
	return ppiLine{&g.redists[cpu], 1 << id}, nil
}

// SPI is the wire of a shared interrupt. An SGI has no wire, so that one cannot be asked for.
func (g *GIC) SPI(id gic.INTID) (bus.Line, error) {
	if limit := int(gic.FirstSPI) + g.spec.NumSPIs; id < gic.FirstSPI || int(id) >= limit {
		return nil, fmt.Errorf("gicv3: SPI %d: want INTID 32 to %d", id, limit-1)
	}
	return spiLine{&g.dist, int(id) / 32, 1 << (id % 32)}, nil
}

type ppiLine struct {
	r    *Redistributor
	mask uint32
}

// SetLine drives the wire. A redistributor without power sees the level when it is powered again, but no edge.
func (l ppiLine) SetLine(level bool) {
	if l.r.g.wired != nil {
		l.r.g.wired(l.wire(), level)
		return
	}
	l.r.bank.setLine(l.mask, level)
	if !l.r.powered {
		l.r.bank.latch = 0
	}
	l.r.update()
}

type spiLine struct {
	d    *Distributor
	word int
	mask uint32
}

// SetLine drives the wire.
func (l spiLine) SetLine(level bool) {
	if l.d.g.wired != nil {
		l.d.g.wired(l.wire(), level)
		return
	}
	l.d.changed = true
	b := &l.d.banks[l.word]
	if level == (b.line&l.mask != 0) {
		return
	}
	l.d.withdraw(l.word, l.mask)
	b.setLine(l.mask, level)
	l.d.offer(l.word, l.mask)
	l.d.g.settle()
}

// popLowest clears the lowest one of *set and returns its number.
func popLowest(set *uint32) int {
	i := mathbits.TrailingZeros32(*set)
	*set &= *set - 1
	return i
}
