package cpu

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/graph"
)

// loop is two CPUs: the first makes two accesses to a and b, with a fence of RISC-V between; the second makes two with
// a full fence, so that only the order of the first decides whether the outcome seen happens.
type loop struct {
	first, second bus.Access
	mine, others  func(c *CPU, a, b uint64, fence func()) [2]uint64
	seen          [4]uint64 // what the two have read, the first's before the second's
}

func load(c *CPU, addr uint64) uint64 { return c.Load(addr, 8, bus.Plain) }

func store(c *CPU, addr uint64) { c.Store(addr, 8, 1, bus.Plain) }

var loops = []loop{
	{bus.Store, bus.Store, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		store(c, a)
		fence()
		store(c, b)
		return r
	}, reads, [4]uint64{0, 0, 1, 0}},
	{bus.Load, bus.Load, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		r[0] = load(c, a)
		fence()
		r[1] = load(c, b)
		return r
	}, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		store(c, b)
		fence()
		store(c, a)
		return r
	}, [4]uint64{1, 0, 0, 0}},
	{bus.Store, bus.Load, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		store(c, a)
		fence()
		r[0] = load(c, b)
		return r
	}, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		store(c, b)
		fence()
		r[0] = load(c, a)
		return r
	}, [4]uint64{0, 0, 0, 0}},
	{bus.Load, bus.Store, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		r[0] = load(c, a)
		fence()
		store(c, b)
		return r
	}, func(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
		r[0] = load(c, b)
		fence()
		store(c, a)
		return r
	}, [4]uint64{1, 0, 1, 0}},
}

func reads(c *CPU, a, b uint64, fence func()) (r [2]uint64) {
	r[0] = load(c, b)
	fence()
	r[1] = load(c, a)
	return r
}

// Each set of a FENCE is exactly what it says, from the CPU's method to the model: the accesses that it names are in
// order, and no others are.
func TestFenceSetsOfAnotherArchitecture(t *testing.T) {
	for before := bus.Access(1); before <= bus.AnyAccess; before++ {
		for after := bus.Access(1); after <= bus.AnyAccess; after++ {
			f := bus.Fence{Before: before, After: after, Domain: bus.FullSystem}
			for _, l := range loops {
				ordered := before&l.first != 0 && after&l.second != 0
				if got := l.happens(t, f); got == ordered {
					t.Errorf("%s between %s and %s: reordered %v", f, l.first, l.second, got)
				}
			}
		}
	}
}

// happens reports whether some execution under RVWMO shows the two accesses of the first CPU in the wrong order.
func (l *loop) happens(t *testing.T, f bus.Fence) (found bool) {
	b := newBoard(t, 2)
	var read [4]uint64
	idle := [2]Checkpoint{b.cpus[0].Save(), b.cpus[1].Save()}
	full := bus.Fence{Before: bus.Load | bus.Store, After: bus.Load | bus.Store, Domain: bus.FullSystem}
	p := &graph.Program{End: func(*graph.Execution) graph.Verdict {
		found = found || read == l.seen
		return graph.Verdict{}
	}}
	for i, c := range b.cpus {
		p.Threads = append(p.Threads, graph.Thread{Run: func(h *graph.Handle) {
			c.Restore(&idle[i])
			c.JoinGraph(nil)
			c.ExploreThread(h)
			program, fence := l.mine, f
			if i == 1 {
				program, fence = l.others, full
			}
			r := program(c, line(0), line(1), func() { c.Fence(fence) })
			read[2*i], read[2*i+1] = r[0], r[1]
		}})
	}
	if _, err := graph.Explore(p, &graph.RVWMO, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	return found
}

// The kernel has interrupts off and waits for what only firmware's handler brings: a remote fence that firmware makes
// for somebody else. Nothing of it is Arm's, the names of the fences included.
func TestFirmwareFencesWhileTheKernelWaits(t *testing.T) {
	b := newBoard(t, 2)
	flag := line(3)
	b.cpus[0].SetVectorOf(Firmware, handler(func(c *CPU) {
		c.SetInput(Firmware, false)
		c.Fence(bus.Fence{Before: bus.Store, After: bus.AnyAccess, Domain: bus.FullSystem, Completion: true})
		c.Store(flag, 8, 1, bus.Release)
		b.note(c, "firmware, kernel masked %v", c.interrupts.masked&(1<<Supervisor) != 0)
	}))
	b.engine.Post(&b.wires[0].channel, 100*ns, raise{b.cpus[0]}, 0)
	b.start(0, func(c *CPU) {
		c.MaskIRQ(true)
		_, ok := c.Wait(flag, 8, bus.Plain, func(v uint64) bool { return v == 1 }, Forever)
		b.note(c, "waited %v, masked %v", ok, c.IRQMasked())
	})
	b.start(1, func(c *CPU) { c.Wait(flag, 8, bus.Acquire, func(v uint64) bool { return v == 1 }, Forever) })
	b.run()
	if n := b.cpus[0].Stats().Interrupts; n != 1 || b.cpus[0].Proc().Busy() || b.cpus[1].Proc().Busy() {
		t.Errorf("%d interrupts, waiting %v and %v:\n%s", n, b.cpus[0].Proc().Busy(), b.cpus[1].Proc().Busy(), &b.log)
	}
	if got := (bus.Fence{Before: bus.Load | bus.DeviceInput, After: bus.AnyAccess}).String(); got != "fence ir,iorw" {
		t.Errorf("a fence is called %q", got)
	}
}
