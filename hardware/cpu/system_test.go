package cpu

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A chatterer is a CPU that runs a random program and a random interrupt handler; what it reads, and when, goes to
// the board's log, as does the trace.
type chatterer struct {
	*wire
	b      *board
	rng    *rand.Rand // of the code that runs now
	inside *rand.Rand // of the handler: where it interrupts must not change what the program does
}

// WriteSys of plainReg interrupts another CPU, or rings its bell.
func (w *chatterer) WriteSys(r bits.SysReg, v uint64) bool {
	target := v % uint64(len(w.b.cpus))
	if v>>8&3 == 0 {
		w.b.bells[target].ring(w.cpu.Now())
	} else {
		w.b.interrupt(int(target), w.cpu.Now()+sim.Time(v>>16%200)*ns)
	}
	return true
}

// IRQ is the handler: acknowledge early or late, and do something in between.
func (w *chatterer) IRQ(c *CPU) {
	w.rng, w.inside = w.inside, w.rng
	early := w.rng.Intn(2) == 0
	if early {
		c.ReadSys(ackReg)
	}
	c.step() // a line of the log is written where others' lines can no longer come before it
	w.b.note(c, "handler")
	for range w.rng.Intn(4) {
		w.act(c)
	}
	if !early {
		c.ReadSys(ackReg)
	}
	c.step()
	w.b.note(c, "handler ends")
	w.rng, w.inside = w.inside, w.rng
}

// program makes n random steps, and checks that the time spent is the time that has passed.
func (w *chatterer) program(n int) func(c *CPU) {
	return func(c *CPU) {
		begin, before := c.Now(), c.Spent()
		for range n {
			w.act(c)
		}
		c.MaskIRQ(true)
		if spent := c.Spent().Sub(before); spent.Total() != c.Now()-begin || before.Add(spent) != c.Spent() {
			w.b.t.Errorf("%s spent %s (%v) of %s", c, spent.Total(), spent, c.Now()-begin)
		}
		w.b.note(c, "ends")
		c.Exec(int64(w.rng.Intn(50))) // masked to the end
	}
}

// act does one random thing.
func (w *chatterer) act(c *CPU) {
	r := w.rng
	size := uint8(1) << r.Intn(4)
	addr := line(r.Intn(4)) + uint64(size)*uint64(r.Intn(2))
	order := bus.Order(r.Intn(5))
	switch k := r.Intn(24); {
	case k < 5:
		c.Exec(int64(r.Intn(60)))
	case k < 6:
		c.Delay(sim.Time(r.Intn(20000)))
	case k < 9:
		w.b.note(c, "load %x", c.Load(addr, size, order))
	case k < 12:
		c.Store(addr, size, r.Uint64(), order)
		w.b.note(c, "store")
	case k < 14:
		op := bus.AtomicOp(r.Intn(7))
		w.b.note(c, "%s %x", op, c.Atomic(addr, size, op, uint64(r.Intn(4)), uint64(r.Intn(4)), order))
	case k < 15:
		v := c.LoadExclusive(addr, size, order)
		c.Exec(int64(r.Intn(10)))
		w.b.note(c, "exclusive %x %v", v, c.StoreExclusive(addr, size, v+1, order))
	case k < 17:
		w.fence(c)
	case k < 19:
		w.wait(c, addr, size, order)
	default:
		w.reach(c, k)
	}
}

func (w *chatterer) fence(c *CPU) {
	option := barrierOptions[w.rng.Intn(12)]
	f := barrier("dmb " + option)
	if w.rng.Intn(2) == 0 {
		f = barrier("dsb " + option)
	}
	c.Fence(f)
	c.Synchronize()
}

func (w *chatterer) wait(c *CPU, addr uint64, size uint8, order bus.Order) {
	bit := uint64(1) << w.rng.Intn(8)
	timeout := sim.Time(w.rng.Intn(800)) * ns
	v, ok := c.Wait(addr, size, order, func(v uint64) bool { return v&bit != 0 }, timeout)
	w.b.note(c, "wait %x %v", v, ok)
}

// reach is an access beyond the memory.
func (w *chatterer) reach(c *CPU, k int) {
	r := w.rng
	switch k {
	case 19:
		c.WriteSys(plainReg, r.Uint64())
		w.b.note(c, "signal")
	case 20:
		c.Store(deviceBase, 4, uint64(r.Intn(99)), bus.Plain)
	case 21:
		w.b.note(c, "device %d", c.Load(deviceBase, 4, bus.Plain))
	case 22:
		if !c.IRQMasked() {
			c.MaskIRQ(true)
			c.Exec(int64(r.Intn(100)))
			c.MaskIRQ(false)
			w.b.note(c, "unmasked")
		}
	case 23:
		if r.Intn(3) == 0 {
			w.b.bells[c.ID].wait()
			w.b.note(c, "event")
		}
	}
}

// chatter runs random programs on four CPUs, with some interrupts from outside, and answers the log. Only where nobody
// traces are the short ways taken that [CPU.quick] allows.
func chatter(t *testing.T, seed int64, eager, traced bool) string {
	spec, latency := boardSpec, boardLatency
	spec.StoreBuffer = 1 + int(seed%3)
	if seed%2 == 0 {
		for d := mem.ClusterHandOff; d <= mem.MemoryAccess; d++ {
			latency[d].Low, latency[d].High = latency[d].Mean/2, 2*latency[d].Mean
		}
	}
	b := newBoardOf(t, 4, spec, latency)
	b.engine.SetEager(eager)
	if traced {
		b.engine.Attach(sim.TextTracer(b.Trace))
	}
	rng := rand.New(rand.NewSource(seed))
	for i, c := range b.cpus {
		w := &chatterer{
			wire: b.wires[i], b: b,
			rng: rand.New(rand.NewSource(seed<<8 + int64(i))), inside: rand.New(rand.NewSource(seed<<8 + 100 + int64(i))),
		}
		c.ports.SysRegs = w
		c.SetVector(w)
		for range 4 {
			b.interrupt(i, sim.Time(rng.Intn(8000))*ns)
		}
		b.start(i, w.program(60))
	}
	b.run()
	for _, p := range b.engine.Deadlock() {
		why, _ := p.Waiting()
		fmt.Fprintf(&b.log, "%s waits for %s\n", p.Name(), why)
	}
	for _, c := range b.cpus {
		if !c.Proc().Busy() { // stuck in a handler, it has been charged for the work that the handler cut
			fmt.Fprintf(&b.log, "%s %s %v %+v\n", c, c.Now(), c.Spent(), c.Stats())
		}
	}
	for i := range 4 {
		fmt.Fprintf(&b.log, "line %d holds %x %x\n", i, b.memory.Peek(line(i), 8), b.memory.Peek(line(i)+8, 8))
	}
	fmt.Fprintf(&b.log, "device: %v\n", b.device.arrivals)
	return b.log.String()
}

// The engine that lets programs run ahead and the one in which every piece of work is an event give the same log, to
// the byte, traced or not; so do two runs. Within each program, the time spent adds up (see program).
func TestRunAheadChangesNothingThatCPUsSee(t *testing.T) {
	seeds := int64(150)
	if raceEnabled {
		seeds = 20
	}
	for seed := range seeds {
		ahead := chatter(t, seed, false, true)
		sameLog(t, seed, "eager", ahead, chatter(t, seed, true, true))
		sameLog(t, seed, "second run", ahead, chatter(t, seed, false, true))
		sameLog(t, seed, "eager, untraced", chatter(t, seed, false, false), chatter(t, seed, true, false))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func sameLog(t *testing.T, seed int64, name, ahead, other string) {
	t.Helper()
	if ahead == other {
		return
	}
	a, o := strings.Split(ahead, "\n"), strings.Split(other, "\n")
	for i := range min(len(a), len(o)) {
		if a[i] != o[i] {
			t.Fatalf("seed %d, line %d:\n\t%s\n%s:\n\t%s", seed, i, strings.Join(a[max(0, i-8):i+1], "\n\t"),
				name, strings.Join(o[max(0, i-8):i+1], "\n\t"))
		}
	}
	t.Fatalf("seed %d: one log is the beginning of the other", seed)
}
