package sim

import "fmt"

// A Program is what a [Proc] runs. It is an interface, not a function, so that starting one allocates nothing.
type Program interface {
	Run(p *Proc)
}

// An Interruptible owner of a Proc takes interrupts inside the Proc's revocable work and waits.
type Interruptible interface {
	// TakeInterrupt runs the handler. The Proc's clock stands where the interrupt is taken.
	TakeInterrupt()
}

// procState says what a Proc is doing:
//
//	idle, ended --Start--> scheduled --its step comes--> running --program returns--> ended
//	                        ^  ^  |                        | |
//	                        |  |  +------- Sync -----------+ |
//	                        |  +---------- Wake -- parked <--+ Park
//	                        +-- Interrupt moves the step of a wait or of work forward
type procState uint8

const (
	idle procState = iota
	scheduled
	running
	parked
	ended
)

// WaitReason says what a parked program waits for. It is formatted only for a deadlock report.
type WaitReason struct {
	What string // "line", "interrupt", "event", ...
	Addr uint64 // the address or number, 0 if none
}

func (w WaitReason) String() string {
	if w.Addr == 0 {
		return w.What
	}
	return fmt.Sprintf("%s 0x%x", w.What, w.Addr)
}

// attention says why a program may not take short ways.
type attention uint8

const (
	eager   attention = 1 << iota // every Advance yields, see Engine.SetEager
	waiting                       // the owner has something to do at the next step
)

// A Proc is sequential code with a clock of its own. It owns a coroutine only between Start and the end of its program.
type Proc struct {
	name      string
	number    int32 // order among programs at one tick
	state     procState
	active    bool // on the chain of stacks that leads to the running code
	revocable bool // in a wait or in work that an interrupt cuts short
	cut       bool // the step was moved forward by an interrupt
	woken     bool // the end of a Park is known
	attention attention
	at        Time // when the scheduled step comes
	local     Time // the program's clock
	floor     Time // work after this time can be revoked
	engine    *Engine
	worker    *worker
	program   Program
	owner     Interruptible
	wait      WaitReason
}

// NewProc makes an idle Proc. The order in which Procs are made is their order at one tick. owner may be nil.
func (e *Engine) NewProc(name string, owner Interruptible) *Proc {
	p := &Proc{name: name, engine: e, owner: owner, number: int32(len(e.procs))}
	p.attend(eager, e.eager)
	e.procs = append(e.procs, p)
	return p
}

// Name is the program's name in traces and deadlock reports.
func (p *Proc) Name() string { return p.name }

// Engine is the engine that runs p.
func (p *Proc) Engine() *Engine { return p.engine }

// Now is the program's clock.
func (p *Proc) Now() Time { return p.local }

// Busy reports whether a program was started and has not ended.
func (p *Proc) Busy() bool { return p.state != idle && p.state != ended }

// SetClock sets the clock of a program that the engine does not run: explored as a thread of a graph, its time means
// nothing, but must be the same each time.
func (p *Proc) SetClock(at Time) {
	p.local, p.floor = at, at
	p.engine.undriven = true
	p.engine.attend()
}

// Waiting is what the program is parked for, and whether it is parked.
func (p *Proc) Waiting() (WaitReason, bool) { return p.wait, p.state == parked }

// Start runs a program on p from the given time, at or after Now of the engine.
func (p *Proc) Start(program Program, at Time) {
	if p.Busy() {
		panic("BUG: program started on " + p.name + ", which runs one")
	}
	p.program = program
	if at < p.engine.now {
		panic("BUG: program started in the past on " + p.name)
	}
	p.local, p.floor = at, at
	p.schedule(at)
}

// schedule makes the next step of p come at the given time.
func (p *Proc) schedule(at Time) {
	p.state, p.at = scheduled, at
	p.engine.push(node{at: at, seq: programSeq | uint64(p.number), ref: ^p.number})
}

// begin makes q the program whose step has come.
func (e *Engine) begin(q *Proc) {
	e.popFirst()
	if q.at > e.now {
		e.now = q.at
	}
	q.state = running
	e.fired++
	e.current = q
}

// Advance adds work to the program's clock. The work can be revoked until the next Sync: an interrupt inside it is
// taken where it falls, and the remainder is charged after the handler.
func (p *Proc) Advance(d Time) {
	p.local += d
	if p.attention&eager != 0 {
		p.syncEagerly()
	}
}

// Pass is Advance for a program to which nobody has anything to say, as nearly always; it reports whether that was so.
func (p *Proc) Pass(d Time) bool {
	if p.attention != 0 {
		return false
	}
	p.local += d
	return true
}

// Attend says that the owner has something to do at the program's next step, or no longer: short ways are closed.
func (p *Proc) Attend(on bool) { p.attend(waiting, on) }

func (p *Proc) attend(why attention, on bool) {
	if p.attention &^= why; on {
		p.attention |= why
	}
}

// Eager reports whether the engine takes no short way.
func (p *Proc) Eager() bool { return p.attention&eager != 0 }

// syncEagerly is kept out of line so that Advance is small enough to be inlined.
//
//go:noinline
func (p *Proc) syncEagerly() { p.Sync() }

// Stall adds time that an interrupt does not cut short: the rest of the access that the last Sync began.
// Preconditions: no Advance since that Sync.
func (p *Proc) Stall(d Time) {
	p.local += d
	p.floor = p.local
}

// Sync lets everything that is due before the program's next step happen first. Every access that others can see
// begins with it.
func (p *Proc) Sync() {
	if p.engine.horizon <= p.local {
		p.sync()
	} else {
		p.engine.now = p.local // nothing is due before: what the access causes is not earlier
	}
	p.floor = p.local
}

// sync is the slow path of Sync.
func (p *Proc) sync() {
	e := p.engine
	for e.mustYield(p) {
		p.revocable = true
		p.schedule(p.local)
		e.loop(p)
		p.revocable = false
		if !p.cut {
			return
		}
		p.takeInterrupt()
	}
	e.now = max(e.now, p.local)
}

// Settle is Sync for a program that does nothing more but end: if it has failed, and nothing is due before, it goes on.
func (p *Proc) Settle() {
	if e := p.engine; !e.halted || e.due(p) {
		p.Sync()
	}
	p.floor = p.local
}

// takeInterrupt runs the owner's handler at the time of the step that was moved forward, then charges the revoked
// work again.
func (p *Proc) takeInterrupt() {
	rest := p.local - p.at
	p.cut = false
	p.local, p.floor = p.at, p.at
	p.owner.TakeInterrupt()
	p.local += rest
}

// Pause ends the drive with [ErrStopped] before the program's next step if the engine's stop function says so. Driven
// again, the program goes on from here. Programs that may make steps for long without any event call it, since the
// engine polls between events only.
func (p *Proc) Pause() {
	e := p.engine
	p.Sync()
	if e.stop == nil || !e.stop() {
		return // the drive was stopped, and driven again, inside Sync
	}
	e.now = max(e.now, p.local) // nothing is due before the step, so the engine's present can be here
	e.Fail(ErrStopped)
	p.revocable = true
	p.schedule(p.local)
	e.loop(p)
	p.revocable = false
	if p.cut {
		p.takeInterrupt()
	}
}

// Free reports whether nothing is due before the program's next step and nobody wants to hear of it, as nearly always.
// Then Go is Sync, and the caller may take a shorter way to the same effects.
func (p *Proc) Free() bool { return p.attention == 0 && p.engine.horizon > p.local }

// Go begins a step. Precondition: Free.
func (p *Proc) Go() { p.engine.now, p.floor = p.local, p.local } // what the access causes is not earlier

// Park stops the program until Wake; it answers false if an interrupt was taken instead, after its handler has run.
// The caller then looks again at what it waits for.
func (p *Proc) Park(why WaitReason) bool {
	p.wait, p.state = why, parked
	return p.await()
}

// ParkUntil is Park for a program that is woken at a time which is known.
func (p *Proc) ParkUntil(at Time) bool {
	if p.engine.horizon > at {
		p.local = max(p.local, at)
		return true
	}
	p.schedule(max(p.local, at))
	return p.await()
}

// await gives way until the program's step comes, or an interrupt, which it takes.
func (p *Proc) await() bool {
	p.revocable = true
	if p.floor < p.local {
		p.floor = p.local
	}
	p.engine.loop(p)
	p.revocable, p.woken = false, false
	if p.at > p.local {
		p.local = p.at
	}
	if p.cut {
		p.takeInterrupt()
		return false
	}
	p.floor = p.local
	return true
}

// Wake ends a Park at the given time, or at the program's own clock if that is later; of several times the first
// counts. A program that is not parked is left alone.
func (p *Proc) Wake(at Time) {
	at = max(at, p.local)
	if p.state == parked || p.woken && at < p.at {
		p.woken = true
		p.schedule(at)
	}
}

// Interrupt makes p take an interrupt at the engine's present, if it is in work or in a wait that may be cut short;
// it answers whether it will. Otherwise the program's own next boundary has to look.
func (p *Proc) Interrupt() bool {
	if !p.revocable || p.cut || p.owner == nil {
		return false
	}
	at := p.engine.now
	if at < p.floor {
		at = p.floor
	}
	p.cut = true
	p.schedule(at)
	return true
}
