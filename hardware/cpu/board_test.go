package cpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

const ns = sim.Nanosecond

// boardSpec has a different round cost for each thing, so that a time says what it is made of.
var boardSpec = Spec{
	Clock: sim.Gigahertz, StoreBuffer: 4, StoreIssue: 1 * ns,
	OrderingFence: 2 * ns, CompletingFence: 10 * ns, Synchronize: 5 * ns,
	SysRegRead: 4 * ns, SysRegWrite: 6 * ns, DeviceRead: 100 * ns, DeviceWrite: 60 * ns,
	WakeUp: 50 * ns, ExceptionEntry: 20 * ns, ExceptionReturn: 15 * ns,
	Outer: Outer{Model: OuterSerial, Ack: 30 * ns, Window: 2, Flush: 7 * ns},
}

// boardLatency makes 20 ns in a cluster, 40 ns on a die, 90 ns across dies, 200 ns across sockets if the home is at one
// of the two ends.
var boardLatency = [mem.Parts]sim.Spread{
	mem.Hit: sim.Fixed(1 * ns), mem.ClusterHandOff: sim.Fixed(20 * ns), mem.DieHandOff: sim.Fixed(40 * ns),
	mem.DieLeg: sim.Fixed(25 * ns), mem.SocketLeg: sim.Fixed(80 * ns), mem.MemoryAccess: sim.Fixed(100 * ns),
	mem.SystemHit: sim.Fixed(60 * ns),
}

// The board's two regions.
const (
	ramBase    = 0x4000_0000
	deviceBase = 0x0900_0000
)

// A board is CPUs with memory, one device and an interrupt wire each:
//
//	CPU0 CPU1 | CPU2 CPU3 || CPU4 CPU5 | CPU6 CPU7
//	a cluster    its die     another die
type board struct {
	t      testing.TB
	engine *sim.Engine
	memory *mem.Memory
	cpus   []*CPU
	wires  []*wire
	bells  []*bell
	device *oneRegister
	log    strings.Builder
}

func newBoard(t testing.TB, cpus int) *board {
	t.Helper()
	return newBoardOf(t, cpus, boardSpec, boardLatency)
}

func newBoardOf(t testing.TB, cpus int, spec Spec, latency [mem.Parts]sim.Spread) *board {
	t.Helper()
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	b := &board{t: t, engine: sim.NewEngine()}
	places := make([]mem.Place, cpus)
	for i := range places {
		places[i] = mem.Place{Cluster: int32(i / 2), Die: int32(i / 4), Socket: int32(i / 8)}
	}
	var err error
	b.memory, err = mem.New(mem.Spec{
		Base: ramBase, Size: 2 << 20, Places: places, DiesPerSocket: 2, Latency: latency, Seed: 1,
	}, func(c int, at sim.Time) { b.cpus[c].Wake(at) })
	if err != nil {
		t.Fatal(err)
	}
	b.device = &oneRegister{engine: b.engine}
	devices := &bus.Map{}
	err = devices.Add(bus.Region{Name: "uart", Base: deviceBase, Size: 0x1000, Device: b.device})
	if err != nil {
		t.Fatal(err)
	}
	for i := range cpus {
		c := New(i, &spec, b.engine)
		w := &wire{cpu: c}
		b.engine.Register(&w.channel, fmt.Sprint("wire of ", c))
		l := &bell{cpu: c}
		c.Connect(Ports{Memory: b.memory, Devices: devices, SysRegs: w, Arch: l, Words: &boardWords})
		b.cpus, b.wires, b.bells = append(b.cpus, c), append(b.wires, w), append(b.bells, l)
	}
	t.Cleanup(b.engine.Close)
	return b
}

// line is the address of the n-th line of RAM.
func line(n int) uint64 { return ramBase + uint64(n)*mem.LineSize }

// bound is a program for one CPU.
type bound struct {
	c   *CPU
	run func(c *CPU)
}

func (p bound) Run(*sim.Proc) { p.run(p.c) }

// start starts a program at the engine's present.
func (b *board) start(c int, run func(c *CPU)) {
	b.t.Helper()
	if err := b.cpus[c].Start(bound{b.cpus[c], run}); err != nil {
		b.t.Fatal(err)
	}
}

// run runs the board until nothing is pending.
func (b *board) run() {
	b.t.Helper()
	if err := b.engine.Drive(nil); err != nil {
		b.t.Fatal(err)
	}
}

// alone runs one program to its end.
func (b *board) alone(c int, run func(c *CPU)) {
	b.t.Helper()
	b.start(c, run)
	b.run()
}

// shared makes the CPUs hold a line, in this order.
func (b *board) shared(addr uint64, cpus ...int) {
	b.t.Helper()
	for _, c := range cpus {
		b.alone(c, func(c *CPU) { c.Load(addr, 8, bus.Plain) })
	}
}

// note logs a line with the CPU's time.
func (b *board) note(c *CPU, format string, args ...any) {
	fmt.Fprintf(&b.log, "%s %s %s\n", c.Now(), c, fmt.Sprintf(format, args...))
}

// Trace makes the board a tracer that logs.
func (b *board) Trace(at sim.Time, source, what string) {
	fmt.Fprintf(&b.log, "%9s  %s  %s\n", at.Nanoseconds(), source, what)
}

// logged checks the whole log, line by line.
func (b *board) logged(want ...string) {
	b.t.Helper()
	if got := strings.TrimSuffix(b.log.String(), "\n"); got != strings.Join(want, "\n") {
		b.t.Errorf("got\n\t%s\nwant\n\t%s", strings.ReplaceAll(got, "\n", "\n\t"), strings.Join(want, "\n\t"))
	}
}

// A handler is a function as a Vector.
type handler func(c *CPU)

func (h handler) IRQ(c *CPU) { h(c) }

// A wire is an interrupt source and the CPU's system registers: reading ackReg acknowledges one interrupt, and the
// input falls with the last. Other reads and writes of registers below undefReg are remembered.
type wire struct {
	cpu     *CPU
	channel sim.Channel
	pending int
	regs    [2]uint64
	wrote   []sim.Time
}

// The wire's registers.
const (
	ackReg bits.SysReg = iota
	plainReg
	undefReg
)

// The wire's events.
const (
	rises uint64 = iota
	falls
)

func (w *wire) Fire(_ sim.Time, arg uint64) {
	if arg == falls {
		w.pending = 0
	} else {
		w.pending++
	}
	w.cpu.SetIRQ(w.pending > 0)
}

func (w *wire) ReadSys(r bits.SysReg) (uint64, bool) {
	switch {
	case r >= undefReg:
		return 0, false
	case r == ackReg && w.pending > 0:
		w.pending--
		w.cpu.SetIRQ(w.pending > 0)
		return 1, true
	}
	return w.regs[r], true
}

func (w *wire) WriteSys(r bits.SysReg, v uint64) bool {
	if r >= undefReg {
		return false
	}
	w.regs[r] = v
	w.wrote = append(w.wrote, w.cpu.Now())
	return true
}

// A bell is the board's architecture: it wakes a CPU that sleeps for it, and rings when an interrupt handler returns.
type bell struct {
	cpu          *CPU
	rung, asleep bool
	aborted      *Abort
}

func (l *bell) Taken() uint64 { l.asleep = false; return 0 }

func (l *bell) Returned(uint64) { l.cpu.ClearExclusive(); l.rung = true }

func (l *bell) Abort(a *Abort) { l.aborted = a }

func (l *bell) Powered(Power) {}

func (l *bell) State(line func(name, format string, args ...any)) { line("bell", "%v", l.rung) }

// wait sleeps until the bell rings, or an interrupt was taken.
func (l *bell) wait() {
	l.cpu.Boundary()
	if !l.rung {
		l.asleep = true
		woken := l.cpu.Sleep("a bell")
		l.asleep = false
		if !woken {
			return
		}
	}
	l.rung = false
}

func (l *bell) ring(at sim.Time) {
	l.rung = true
	if l.asleep {
		l.cpu.Wake(at)
	}
}

// barrierOptions are Arm's, whose barriers are short names for fences of every kind.
var barrierOptions = []string{
	"oshld", "oshst", "osh", "nshld", "nshst", "nsh", "ishld", "ishst", "ish", "ld", "st", "sy",
}

// barrier is a fence by its name: "dmb ishst".
func barrier(name string) bus.Fence {
	option := name[len("dmb "):]
	f := bus.Fence{Before: bus.AnyAccess, After: bus.AnyAccess, Domain: bus.FullSystem, Completion: name[:3] == "dsb"}
	for prefix, domain := range map[string]bus.Domain{
		"nsh": bus.NonShareable, "ish": bus.InnerShareable, "osh": bus.OuterShareable,
	} {
		if strings.HasPrefix(option, prefix) {
			f.Domain = domain
		}
	}
	switch {
	case strings.HasSuffix(option, "ld"):
		f.Before = bus.Load | bus.DeviceInput
	case strings.HasSuffix(option, "st"):
		f.Before = bus.Store | bus.DeviceOutput
		f.After = f.Before
	}
	return f
}

// barrierName is the name of a fence.
func barrierName(f bus.Fence) string {
	for _, kind := range []string{"dmb ", "dsb "} {
		for _, option := range barrierOptions {
			if barrier(kind+option) == f {
				return kind + option
			}
		}
	}
	return f.String()
}

var (
	dmbISH, dmbISHST = barrier("dmb ish"), barrier("dmb ishst")
	dsbISHST, dsbST  = barrier("dsb ishst"), barrier("dsb st")
	dsbSY            = barrier("dsb sy")
)

// boardWords are the board's, which calls its fences as the transcripts do.
var boardWords = Words{
	Fence: barrierName, SysReg: plainWords.SysReg, Synchronize: "isb", ReadSys: "mrs", WriteSys: "msr",
	Masked: "masked", Unmasked: "unmasked",
}

// interrupt makes the CPU's wire rise at a time.
func (b *board) interrupt(c int, at sim.Time) {
	b.engine.Post(&b.wires[c].channel, at, b.wires[c], rises)
}

// withdraw makes the CPU's wire fall at a time, acknowledged or not.
func (b *board) withdraw(c int, at sim.Time) {
	b.engine.Post(&b.wires[c].channel, at, b.wires[c], falls)
}

// handle installs a handler that notes its time and acknowledges after some work.
func (b *board) handle(c int, work int64) {
	b.cpus[c].SetVector(handler(func(c *CPU) {
		b.note(c, "handler")
		c.Exec(work)
		c.ReadSys(ackReg)
	}))
}

// oneRegister is a device with one register of 32 bits at its base; it remembers when writes arrived.
type oneRegister struct {
	engine   *sim.Engine
	value    uint64
	arrivals []string
}

func (d *oneRegister) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	if off != 0 || w != bus.W32 {
		return 0, false
	}
	return d.value, true
}

func (d *oneRegister) WriteReg(off uint64, w bus.Width, v uint64) bool {
	if off != 0 || w != bus.W32 {
		return false
	}
	d.value = v
	d.arrivals = append(d.arrivals, fmt.Sprintf("%d at %s", v, d.engine.Now()))
	return true
}
