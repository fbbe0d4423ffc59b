package cpu

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// rally sends a line back and forth between two CPUs that wait for each other, with all that a hot kernel path does:
// a release, a barrier, an atomic, an exclusive pair, a device write, a system register, a wait with a timeout.
type rally struct {
	c      *CPU
	turn   uint64
	rounds uint64
}

func (r *rally) Run(*sim.Proc) {
	c := r.c
	mine := func(v uint64) bool { return v&1 == r.turn }
	for range r.rounds {
		v, _ := c.Wait(line(0), 8, bus.Acquire, mine, sim.Second)
		c.Exec(10)
		c.Atomic(line(1), 8, bus.Add, 1, 0, bus.Plain)
		for !c.StoreExclusive(line(2), 8, c.LoadExclusive(line(2), 8, bus.Plain)+1, bus.Plain) {
		}
		c.Fence(dmbISHST)
		c.Store(deviceBase, 4, v, bus.Plain)
		c.Fence(dsbISHST)
		c.ReadSys(plainReg)
		c.Store(line(0), 8, v+1, bus.Release)
	}
}

// quiet is a device that keeps nothing.
type quiet struct{}

func (quiet) ReadReg(uint64, bus.Width) (uint64, bool) { return 0, true }

func (quiet) WriteReg(uint64, bus.Width, uint64) bool { return true }

// quiet replaces the board's device.
func (b *board) quiet() { b.cpus[0].ports.Devices.Regions()[0].Device = quiet{} }

// rally makes two CPUs play a number of rounds each time it is called.
func (b *board) rally(t testing.TB, rounds uint64) func() {
	b.quiet()
	players := [2]rally{{c: b.cpus[0], turn: 0, rounds: rounds}, {c: b.cpus[1], turn: 1, rounds: rounds}}
	return func() {
		for i := range players {
			if err := players[i].c.Start(&players[i]); err != nil {
				t.Fatal(err)
			}
		}
		b.run()
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	b := newBoard(t, 2)
	few, many := b.rally(t, 2), b.rally(t, 200)
	many()
	// Starting a program costs what it costs; rounds cost nothing.
	if f, m := testing.AllocsPerRun(10, few), testing.AllocsPerRun(10, many); m > f {
		t.Errorf("%v allocations in 400 rounds, %v in 4", m, f)
	}
	if n := cap(b.cpus[0].timed.writes); n == 0 || n > 16 {
		t.Errorf("room for %d device writes: never are more than two on their way", n)
	}
}

func TestInterruptAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	b := newBoard(t, 1)
	b.cpus[0].SetVector(handler(func(c *CPU) { c.Exec(10); c.ReadSys(ackReg) }))
	once := func() { b.interrupt(0, b.engine.Now()); b.run() }
	once()
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations for an interrupt of an idle CPU", n)
	}
}

// benchmarkProgram measures one call of access by one CPU's program.
func benchmarkProgram(b *testing.B, access func(c *CPU, n int)) {
	board := newBoard(b, 2)
	board.quiet()
	b.ReportAllocs()
	board.start(0, func(c *CPU) {
		for n := 0; b.Loop(); n++ {
			access(c, n)
		}
	})
	board.run()
}

// BenchmarkLoad is a load that hits.
func BenchmarkLoad(b *testing.B) {
	benchmarkProgram(b, func(c *CPU, _ int) { c.Load(line(0), 8, bus.Plain) })
}

// BenchmarkStore is a store that hits.
func BenchmarkStore(b *testing.B) {
	benchmarkProgram(b, func(c *CPU, _ int) { c.Store(line(0), 8, 1, bus.Plain) })
}

// BenchmarkAtomic is an increment that hits.
func BenchmarkAtomic(b *testing.B) {
	benchmarkProgram(b, func(c *CPU, _ int) { c.Atomic(line(0), 8, bus.Add, 1, 0, bus.Plain) })
}

// BenchmarkDeviceWrite is a write to a register and the event of its arrival.
func BenchmarkDeviceWrite(b *testing.B) {
	benchmarkProgram(b, func(c *CPU, _ int) { c.Store(deviceBase, 4, 1, bus.Plain); c.Fence(dsbST) })
}

// BenchmarkTurn is one turn of a rally: 8 accesses, a barrier of each kind, a wait that parks.
func BenchmarkTurn(b *testing.B) {
	const rounds = 500
	play := newBoard(b, 2).rally(b, rounds)
	b.ReportAllocs()
	for b.Loop() {
		play()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*rounds), "ns/turn")
}

// BenchmarkInterrupt is an interrupt of an idle CPU, from the wire to the return.
func BenchmarkInterrupt(b *testing.B) {
	board := newBoard(b, 1)
	board.cpus[0].SetVector(handler(func(c *CPU) { c.ReadSys(ackReg) }))
	b.ReportAllocs()
	for b.Loop() {
		board.interrupt(0, board.engine.Now())
		board.run()
	}
}
