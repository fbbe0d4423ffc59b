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

// An Architecture is what an instruction set adds to a CPU's behaviour.
type Architecture interface {
	// Taken is called when the CPU takes an interrupt, before its handler, and Returned after the exception return, with
	// what Taken has saved.
	Taken() (saved uint64)
	Returned(saved uint64)
	// Abort is called when an access of the CPU's program faults.
	Abort(a *Abort)
	// Powered is called when the CPU's power state has changed.
	Powered(p Power)
	// State adds lines to a dump.
	State(line func(name, format string, args ...any))
}

// Words are how an architecture calls things in traces and dumps.
type Words struct {
	Fence             func(f bus.Fence) string
	SysReg            func(r bits.SysReg, v uint64) (name, value string) // the value in words, "" without fields
	Synchronize       string
	InvalidateTLB     string
	ReadSys, WriteSys string
	Masked, Unmasked  string // interrupts
}

// plainWords are those of no architecture.
var plainWords = Words{
	Fence:       bus.Fence.String,
	SysReg:      func(r bits.SysReg, _ uint64) (name, value string) { return fmt.Sprintf("0x%x", uint16(r)), "" },
	Synchronize: "synchronize", InvalidateTLB: "invalidate TLB entry",
	ReadSys: "read", WriteSys: "write", Masked: "masked", Unmasked: "unmasked",
}

// Ports are a CPU's connections, made by the machine.
type Ports struct {
	Memory  *mem.Memory
	Devices *bus.Map
	SysRegs bus.SysRegs // the CPU's own registers and those of its interrupt controller interface

	// What may be nil: Translation makes addresses physical, which they otherwise are; Arch and Words are the
	// architecture's; Symbol names addresses, "" where there is no name.
	Translation Translation
	Arch        Architecture
	Words       *Words
	Symbol      func(addr uint64) string
}

// CPU is one processing element as its program sees it. What every access needs comes first: the host's caches hold
// little of all CPUs.
type CPU struct {
	ID int

	proc    *sim.Proc
	engine  *sim.Engine
	spec    *Spec    // the same for all CPUs of a kind
	graph   *graphed // memory, while the CPU is a thread of a graph
	memory  Memory   // &timed, or graph
	ramBase uint64   // RAM whose addresses are physical, none behind a translation
	ramSize uint64
	timed   timed

	state

	ports       Ports
	timer       sim.Channel
	master      bus.Master
	transaction bus.Transaction // of the present access to a device
}

// state is what changes while programs run, beside the timed store buffer.
type state struct {
	account
	seen       uint32 // the last load's Outcome.Version
	interrupts interrupts
	waiting    waiting
	monitor    monitor
	program    program
}

// account is what the CPU's time was spent for.
//
// Invariant: the kinds of spent together are the time of the CPU's programs, to the picosecond.
type account struct {
	spent     Spent
	stats     Stats
	lastTaken sim.Time // when the last interrupt was taken
	before    Spent    // and what had been spent by then
}

// New makes an idle CPU with interrupts unmasked. The spec is shared and stays as it is. The ports are connected before
// the first program starts.
func New(id int, spec *Spec, engine *sim.Engine) *CPU {
	c := &CPU{ID: id, engine: engine, spec: spec}
	name := fmt.Sprintf("CPU%d", id)
	c.proc = engine.NewProc(name, c)
	c.timed.c, c.timed.buffer, c.timed.outer = c, make([]sim.Time, spec.StoreBuffer), newOuter(c, spec.Outer)
	c.memory = &c.timed
	c.master.Name, c.transaction.Master, c.transaction.Attr = name, &c.master, bus.Attr{Privileged: true}
	c.interrupts.update()
	engine.Register(&c.timed.wire, name+" device writes")
	engine.Register(&c.timer, name+" timer")
	return c
}

// Connect sets the CPU's ports.
func (c *CPU) Connect(p Ports) {
	if p.Words == nil {
		p.Words = &plainWords
	}
	c.ports, c.timed.memory, c.ramSize = p, p.Memory, 0
	if p.Memory != nil && p.Translation == nil {
		c.ramBase, c.ramSize = p.Memory.Range()
	}
}

// Now is the time of the CPU's program.
func (c *CPU) Now() sim.Time { return c.proc.Now() }

// Architecture is what the CPU's instruction set adds, nil if it has none.
func (c *CPU) Architecture() Architecture { return c.ports.Arch }

// Spec is what the CPU was built from.
func (c *CPU) Spec() *Spec { return c.spec }

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

// work charges time that an interrupt may cut short. One that the program's own last access has made pending comes
// before it.
func (c *CPU) work(kind Cost, d sim.Time) {
	if c.proc.Pass(d) {
		c.spent[kind] += d
		return
	}
	c.workAttended(kind, d)
}

// workAttended is work before which there may be something to look at.
func (c *CPU) workAttended(kind Cost, d sim.Time) {
	c.caused()
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
func (c *CPU) step() {
	if !c.quick() {
		c.stepAttended()
	}
}

// quick is step if nothing is due before it, no interrupt is pending, and nobody looks; it reports whether that was so.
// What it allows are early returns of the one path to the same effects: [sim.Engine.SetEager] turns them off.
func (c *CPU) quick() bool {
	free := c.proc.Free()
	if free {
		c.proc.Go()
	}
	return free
}

// stepAttended is step where there is something to look at.
func (c *CPU) stepAttended() {
	c.proc.Sync()
	for c.interrupts.pending() {
		c.TakeInterrupt()
		c.proc.Sync()
	}
}

// apart reports whether no interrupt can be taken, and nobody looks on. Then what no other CPU sees needs no step:
// whether it comes before or after what is due by then makes no difference. Handlers of many CPUs that run at one time
// would otherwise change places at each instruction.
func (c *CPU) apart() bool {
	return c.interrupts.shut() && c.graph == nil && !c.engine.Tracing && !c.proc.Eager()
}

// own reports whether a system register is one that only the CPU's own accesses change and show.
func (c *CPU) own(r bits.SysReg) bool { return r != 0 && (r == c.spec.Own[0] || r == c.spec.Own[1]) }

// caused takes an interrupt that the access which ends here has made pending: it comes with that access, not with the
// next one.
func (c *CPU) caused() {
	if c.interrupts.pending() {
		c.Boundary()
	}
}

// Boundary is a step without an access, as reading a clock is: what is due happens first, and an interrupt that is
// pending is taken.
func (c *CPU) Boundary() {
	c.step()
	if c.graph != nil {
		c.graph.boundary()
	}
}

// Step is a step on something that is no hardware: it takes no time.
func (c *CPU) Step() { c.step() }

// Exec is n cycles of straight-line work.
func (c *CPU) Exec(n int64) { c.Delay(c.spec.Clock.Cycles(n)) }

// Delay is straight-line work of a given time, as udelay makes it.
func (c *CPU) Delay(d sim.Time) { c.work(Software, d) }

// ReadSys reads a system register or CSR; false if the instruction is UNDEFINED.
func (c *CPU) ReadSys(r bits.SysReg) (v uint64, ok bool) {
	if !c.quick() && !(c.own(r) && c.apart()) {
		c.memory.ReachSystem()
	}
	c.stats.SysRegReads++
	if c.graph == nil {
		v, ok = c.ports.SysRegs.ReadSys(r)
	} else {
		v, ok = c.graph.ReadSys(r)
	}
	if c.tracing() {
		c.traceSysReg(c.ports.Words.ReadSys+" %s -> 0x%x%s", r, v)
	}
	c.stall(SysReg, c.spec.SysRegRead)
	c.caused()
	return v, ok
}

// WriteSys writes a system register or CSR; false if the instruction is UNDEFINED. It is not a memory access: only
// a completing fence orders it after stores.
func (c *CPU) WriteSys(r bits.SysReg, v uint64) (ok bool) {
	if !c.quick() && !(c.own(r) && c.apart()) {
		c.memory.ReachSystem()
	}
	issue := c.spec.SysRegWrite
	if r == c.spec.IPIRegister {
		c.acceptIPI()
		issue = c.spec.IPIIssue
	}
	c.stats.SysRegWrites++
	if c.graph == nil {
		if c.tracing() {
			c.traceSysReg(c.ports.Words.WriteSys+" %s <- 0x%x%s", r, v)
		}
		ok = c.ports.SysRegs.WriteSys(r, v)
	} else {
		ok = c.graph.WriteSys(r, v)
		if c.tracing() { // a remark belongs to the event before it
			c.traceSysReg(c.ports.Words.WriteSys+" %s <- 0x%x%s", r, v)
		}
	}
	c.stall(SysReg, issue)
	c.caused()
	return ok
}

// acceptIPI waits until the interrupt controller accepts another write that sends interrupts.
func (c *CPU) acceptIPI() {
	t := &c.timed.timedState
	if c.graph != nil {
		return
	}
	for t.accepts > c.proc.Now() {
		c.stallUntil(SysReg, t.accepts)
		c.memory.ReachSystem() // may take an interrupt, whose handler may write as well
	}
	t.accepts = c.proc.Now() + c.spec.IPIInterval
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
	name, value := c.ports.Words.SysReg(r, v)
	if value != "" {
		value = " (" + value + ")"
	}
	c.trace(format, name, v, value)
}

// traceFence writes a record of a fence. Explored, it waits for no time.
func (c *CPU) traceFence(f bus.Fence, complete sim.Time) {
	waits := ""
	if f.Completion && c.graph == nil {
		waits = fmt.Sprintf(", waits %s ns", max(complete-c.proc.Now(), 0).Nanoseconds())
	}
	c.trace("%s%s", c.ports.Words.Fence(f), waits)
}

// SetSymbols makes traces name addresses.
func (c *CPU) SetSymbols(symbol func(addr uint64) string) { c.ports.Symbol = symbol }

func (c *CPU) trace(format string, args ...any) {
	c.engine.Trace(c.proc.Now(), c.proc.Name(), format, args...)
}
