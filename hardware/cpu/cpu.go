package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Vector is what software installs to take interrupts: the kernel's IRQ entry, or a script's function.
type Vector interface {
	IRQ(c *CPU)
}

// Ports are a CPU's connections, made by the machine.
type Ports struct {
	Memory  *mem.Memory
	Devices *bus.Map
	SysRegs bus.SysRegs // the PE's own registers and those of its interrupt controller interface

	// For traces, and may be nil: the name of an address, "" where there is none; the name of a system register, and
	// its value in words.
	Symbol       func(addr uint64) string
	DecodeSysReg func(r bits.SysReg, v uint64) (name, value string)
}

// CPU is one processing element as its program sees it.
type CPU struct {
	ID int

	proc   *sim.Proc
	engine *sim.Engine
	spec   Spec
	ports  Ports

	explored *mem.Explored // nil while timed

	buffer       []sim.Time // drain times of the store buffer's entries, a ring
	deviceWrites []deviceWrite
	deviceWire   sim.Channel
	timer        sim.Channel

	state
}

// state is what changes while programs run, but for the contents of the buffers.
type state struct {
	vector  Vector
	queued  sim.Program // starts when the interrupt handler that runs now is done
	running bool        // a program, not only an interrupt handler

	// The store buffer. See the package comment for its two points.
	drained     sim.Time // all stores so far have drained: the inner point
	acked       sim.Time // all stores so far are acknowledged: the outer point
	storeFloor  sim.Time // no later store drains before: set by fences
	loadFloor   sim.Time // no later load is satisfied before
	released    sim.Time // all store-releases so far have drained
	seen        uint32   // the last load's Outcome.Version; explored, the number of the write that it read
	first, used int      // of buffer
	deviceDone  sim.Time // all device writes so far have arrived
	deviceFirst int      // of deviceWrites

	monitor     monitor
	timeout     sim.Event // of the wait that the CPU is parked in
	deadline    sim.Time  // of the same wait
	eventFlag   bool      // the event register of WFE
	inWFE       bool
	inWFI       bool
	irqLevel    bool
	irqMasked   bool
	spent       Spent
	stats       Stats
	lastTaken   sim.Time // when the last interrupt was taken
	spentBefore Spent    // and what had been spent by then
	expired     bool     // explored: the wait ended by its deadline
	failed      bool     // explored: the last STXR failed without a cause
}

// monitor is the local exclusive monitor: the line of the last load-exclusive at the version that it read.
type monitor struct {
	addr    uint64
	version uint32
	set     bool
}

// New makes an idle CPU with interrupts unmasked. The ports are connected before the first program starts.
func New(id int, spec Spec, engine *sim.Engine) *CPU {
	c := &CPU{ID: id, engine: engine, spec: spec, buffer: make([]sim.Time, spec.StoreBuffer)}
	name := fmt.Sprintf("CPU%d", id)
	c.proc = engine.NewProc(name, c)
	engine.Register(&c.deviceWire, name+" device writes")
	engine.RegisterDeadline(&c.timer, name+" timer")
	return c
}

// Connect sets the CPU's ports.
func (c *CPU) Connect(p Ports) { c.ports = p }

// SetVector installs the interrupt handler.
func (c *CPU) SetVector(v Vector) { c.vector = v }

// Now is the time of the CPU's program.
func (c *CPU) Now() sim.Time { return c.proc.Now() }

// Spec is what the CPU was built from.
func (c *CPU) Spec() Spec { return c.spec }

// Spent is where the CPU's time has gone so far.
func (c *CPU) Spent() Spent { return c.spent }

// Stats are the CPU's counters.
func (c *CPU) Stats() Stats { return c.stats }

// Proc is the CPU's program in the engine's eyes.
func (c *CPU) Proc() *sim.Proc { return c.proc }

// Engine is the engine that the CPU's machine runs on.
func (c *CPU) Engine() *sim.Engine { return c.engine }

// String is "CPU3".
func (c *CPU) String() string { return c.proc.Name() }

// work charges time that an interrupt may cut short.
func (c *CPU) work(kind Cost, d sim.Time) {
	c.spent[kind] += d
	c.proc.Advance(d)
}

// stall charges the rest of an access that has begun.
func (c *CPU) stall(kind Cost, d sim.Time) {
	c.spent[kind] += d
	c.proc.Stall(d)
}

// stallUntil stalls up to a time, if that is not yet past.
func (c *CPU) stallUntil(kind Cost, t sim.Time) {
	if now := c.proc.Now(); t > now {
		c.stall(kind, t-now)
	}
}

// step is the choke point: what is due first happens first, a pending interrupt is taken, and the access may be
// performed.
func (c *CPU) step(object sim.Object, write bool) {
	c.proc.Announce(sim.Footprint{Object: object, Write: write})
	if c.irqLevel {
		c.stepInterrupted()
	}
	if c.explored != nil {
		c.unmaskedStep()
	}
}

// stepInterrupted is the slow path of step.
func (c *CPU) stepInterrupted() {
	for c.irqLevel && !c.irqMasked {
		c.TakeInterrupt()
		c.proc.Sync()
	}
}

// Boundary is a step without an access, as reading a clock is: what is due happens first, and an interrupt that is
// pending is taken.
func (c *CPU) Boundary() { c.step(0, false) }

// Exec is n cycles of straight-line work.
func (c *CPU) Exec(n int64) { c.work(Software, c.spec.Clock.Cycles(n)) }

// Delay is straight-line work of a given time, as udelay makes it.
func (c *CPU) Delay(d sim.Time) { c.work(Software, d) }

// SysRegObject is the seam's name for the system registers that reach beyond the PE: the interrupt controller.
const SysRegObject sim.Object = 1

// stepSys is the step of a system register access. Explored, the interrupt controller says itself what it touches.
func (c *CPU) stepSys() {
	if c.explored != nil {
		c.explored.Break(c.ID)
		c.boundary()
		return
	}
	c.step(SysRegObject, true)
}

// ReadSys reads a system register or CSR; false if the instruction is UNDEFINED.
func (c *CPU) ReadSys(r bits.SysReg) (uint64, bool) {
	c.stepSys() // reading ICC_IAR1_EL1 changes the interrupt controller
	c.stats.SysRegReads++
	if c.explored != nil {
		c.explored.ReadSystem(c.ID)
	}
	v, ok := c.ports.SysRegs.ReadSys(r)
	if c.tracing() {
		c.traceSysReg("mrs %s -> 0x%x%s", r, v)
	}
	c.stall(SysReg, c.spec.SysRegRead)
	return v, ok
}

// WriteSys writes a system register or CSR; false if the instruction is UNDEFINED. It is not a memory access: only
// a completing fence orders it after stores.
func (c *CPU) WriteSys(r bits.SysReg, v uint64) bool {
	c.stepSys()
	c.stats.SysRegWrites++
	if c.tracing() {
		c.traceSysReg("msr %s <- 0x%x%s", r, v)
	}
	ok := c.ports.SysRegs.WriteSys(r, v)
	c.stall(SysReg, c.spec.SysRegWrite)
	return ok
}

func (c *CPU) tracing() bool { return c.engine.Tracing }

// symbol is an address in traces.
func (c *CPU) symbol(addr uint64) string {
	if c.ports.Symbol != nil {
		if name := c.ports.Symbol(addr); name != "" {
			return name
		}
	}
	return fmt.Sprintf("0x%x", addr)
}

func (c *CPU) traceSysReg(format string, r bits.SysReg, v uint64) {
	name, value := fmt.Sprintf("0x%x", uint16(r)), ""
	if c.ports.DecodeSysReg != nil {
		if name, value = c.ports.DecodeSysReg(r, v); value != "" {
			value = " (" + value + ")"
		}
	}
	c.trace(format, name, v, value)
}

// SetSymbols makes traces name addresses.
func (c *CPU) SetSymbols(symbol func(addr uint64) string) { c.ports.Symbol = symbol }

func (c *CPU) trace(format string, args ...any) {
	c.engine.Trace(c.proc.Now(), c.proc.Name(), format, args...)
}
