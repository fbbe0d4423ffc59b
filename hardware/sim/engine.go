package sim

import "errors"

// A Handler receives the events of a channel. It runs at the event's time, may post further events, and must not block.
type Handler interface {
	Fire(now Time, arg uint64)
}

// A Channel is an ordered source of events: they fire in posting order, and their times never decrease, so that a
// message with little jitter waits for its predecessor. Channels are embedded by value in their owners and are
// ready after [Engine.Register].
type Channel struct {
	name       string
	registered bool
	head, tail int32 // pending events, oldest first
	fired      Time  // time of the latest event that fired
}

// Name is the name given at registration, for traces and deadlock reports.
func (ch *Channel) Name() string { return ch.name }

// Registered reports whether the channel is usable.
func (ch *Channel) Registered() bool { return ch.registered }

// Pending reports whether the channel has an event that has not fired.
func (ch *Channel) Pending() bool { return ch.head != none }

// An Event names a posted event so that it can be cancelled. The zero Event names none.
type Event struct {
	slot       int32
	generation uint32
	posted     bool
}

// Engine orders everything that happens in one machine. Engines share nothing; each is used from one goroutine at a
// time.
type Engine struct {
	queue
	now      Time
	eager    bool
	undriven bool // programs do not wait for one another, see Proc.SetClock
	procs    []*Proc
	pool     []*worker
	workers  []*worker
	current  *Proc // the program whose code is running
	until    *Proc // the current drive ends when this program ends
	stop     func() bool
	halted   bool // the drive must end
	failure  error
	fired    uint64
	tracers  []Tracer
	wanted   Kinds
	remarks  *Remarks
	muted    bool // nobody hears remarks

	// Tracing is true while a tracer wants records: every trace call stands behind it.
	Tracing bool
}

// Errors with which a drive ends early.
var (
	// ErrDeadlock: nothing is pending, and the awaited program has not ended.
	ErrDeadlock = errors.New("deadlock")
	// ErrStopped: the stop function said so. The machine can go on from here.
	ErrStopped = errors.New("stopped")
)

// NewEngine makes an engine at time 0. It draws nothing at random: jitter is a function of seeds that models hold.
func NewEngine() *Engine {
	e := &Engine{remarks: &Remarks{}}
	e.queue.init()
	return e
}

// Now is the time of the event that fired last. A program's own clock ([Proc.Now]) is at or after it.
func (e *Engine) Now() Time { return e.now }

// Current is the program whose code is running, nil while messages are handled and outside of a drive.
func (e *Engine) Current() *Proc { return e.current }

// Pending reports whether something is to happen when the engine is driven.
func (e *Engine) Pending() bool {
	for e.any && e.first.ref >= 0 && e.buckets[e.first.ref].head == none {
		e.dropFirst() // what was there was cancelled
	}
	return e.any
}

// Fired counts the events that have fired.
func (e *Engine) Fired() uint64 { return e.fired }

// SetEager turns the run-ahead of programs off: every [Proc.Advance] yields at once. Results are the same to the
// byte, only slower: no short way is taken.
func (e *Engine) SetEager(on bool) {
	e.eager = on
	for _, p := range e.procs {
		p.attend(eager, on)
	}
	e.attend()
}

// attend makes programs look at each step if there may be anything to see but what is pending: an end of the drive, a
// tracer. Otherwise they take the short ways that [Proc.Free] allows.
func (e *Engine) attend() { e.pin(e.halted || e.Tracing || e.eager || e.undriven) }

// SetStop installs a function that the engine polls every few hundred events; when it answers true, the drive ends
// with [ErrStopped]. It is the only way for the host's time or signals to reach a run.
func (e *Engine) SetStop(stop func() bool) { e.stop = stop }

// Register makes a channel usable.
func (e *Engine) Register(ch *Channel, name string) {
	if ch.registered {
		panic("BUG: channel " + ch.name + " registered twice")
	}
	*ch = Channel{name: name, registered: true, head: none, tail: none}
}

// Post schedules h.Fire(at, arg) on a channel, at the channel's latest pending time if that is later. It allocates
// nothing once the slab has grown to the largest number of events pending at once.
func (e *Engine) Post(ch *Channel, at Time, h Handler, arg uint64) Event {
	if at < e.now {
		panic("BUG: event posted into the past on channel " + ch.name)
	}
	if !ch.registered {
		panic("BUG: event posted on an unregistered channel")
	}
	if ch.tail != none {
		if last := e.slots[ch.tail].at; last > at {
			at = last
		}
	} else if ch.fired > at {
		at = ch.fired
	}
	s := e.newSlot()
	sl := &e.slots[s]
	sl.handler, sl.arg, sl.channel = h, arg, ch
	sl.channelNext, sl.channelPrev = none, ch.tail
	if ch.tail == none {
		ch.head = s
	} else {
		e.slots[ch.tail].channelNext = s
	}
	ch.tail = s
	e.enqueue(s, at)
	return Event{slot: s, generation: sl.generation, posted: true}
}

// Cancel withdraws an event as if it had never been posted. It answers false if the event has fired or was
// cancelled before.
func (e *Engine) Cancel(ev Event) bool {
	if !ev.posted || e.slots[ev.slot].generation != ev.generation {
		return false
	}
	e.remove(ev.slot)
	return true
}

// remove takes slot s out of both of its lists and frees it.
func (e *Engine) remove(s int32) {
	e.unlink(s)
	sl := &e.slots[s]
	ch := sl.channel
	if sl.channelPrev == none {
		ch.head = sl.channelNext
	} else {
		e.slots[sl.channelPrev].channelNext = sl.channelNext
	}
	if sl.channelNext == none {
		ch.tail = sl.channelPrev
	} else {
		e.slots[sl.channelNext].channelPrev = sl.channelPrev
	}
	e.release(s)
}

// fire removes slot s and calls its handler.
func (e *Engine) fire(s int32) {
	sl := &e.slots[s]
	at, h, arg := sl.at, sl.handler, sl.arg
	sl.channel.fired = at
	e.remove(s)
	if at > e.now {
		e.now = at
	}
	e.fired++
	h.Fire(at, arg)
}

// Drive fires events until p has ended; with p nil, until nothing is pending. What other programs still do stays
// pending. It returns the error of a program that failed, or [ErrDeadlock] or [ErrStopped].
func (e *Engine) Drive(p *Proc) error {
	if e.current != nil {
		panic("BUG: Drive called by program " + e.current.name + "; a program waits instead")
	}
	if p != nil && p.state == ended {
		return nil
	}
	e.until, e.halted, e.failure = p, false, nil
	e.attend()
	e.loop(nil)
	if e.failure != nil {
		if bug, ok := e.failure.(*Panic); ok {
			panic(bug)
		}
		return e.failure
	}
	if p != nil && p.state != ended {
		return ErrDeadlock
	}
	return nil
}

// Fail ends the drive with an error. The engine can be inspected. Programs, the one that calls it too, stay where they
// are until they are driven again: at their next Sync.
func (e *Engine) Fail(err error) {
	if e.failure == nil {
		e.failure = err
	}
	e.halt()
}

// halt ends the drive: every program yields at its next step.
func (e *Engine) halt() {
	e.halted = true
	e.attend()
}

// loop fires what comes first. Called by the drive it returns when that ends (p nil); called by a program it
// returns when the program's own step has come. See "Whoever waits runs the loop" in the package comment.
func (e *Engine) loop(p *Proc) {
	for {
		if e.fired&0xff == 0 && e.stop != nil && e.stop() {
			e.Fail(ErrStopped)
		}
		q, s := e.next()
		switch {
		case q == nil && s == none:
			if p == nil {
				return
			}
			p.suspend()
			return
		case q == nil:
			e.fire(s)
		case q == p:
			e.begin(q)
			return
		case q.active:
			p.suspend()
			return
		default:
			e.begin(q)
			e.resume(q)
		}
	}
}

// next is what comes first: a message's slot, a program's step, or neither.
func (e *Engine) next() (*Proc, int32) {
	if e.halted {
		return nil, none
	}
	for e.any {
		top := &e.first
		if top.ref >= 0 {
			s := e.buckets[top.ref].head
			switch {
			case s == none:
				e.dropFirst()
				continue
			case top.at >= EndOfTime:
				return e.timeEnds(e.slots[s].channel.name)
			}
			return nil, s
		}
		if q := e.procs[^top.ref]; q.state == scheduled && q.at == top.at {
			if top.at >= EndOfTime {
				return e.timeEnds(q.name)
			}
			return q, none
		}
		e.popFirst() // a step that was moved to another time
	}
	return nil, none
}

// timeEnds is next when time ends before what comes first.
func (e *Engine) timeEnds(where string) (*Proc, int32) {
	e.Fail(&EndOfTimeError{where})
	return nil, none
}

// mustYield reports whether p may not go on from its local time: the drive has ended, time has, or something is due.
func (e *Engine) mustYield(p *Proc) bool {
	return e.halted || p.local >= EndOfTime || e.due(p)
}

// due reports whether something fires before the step of p at its local time.
func (e *Engine) due(p *Proc) bool {
	if !e.any || e.first.at > p.local {
		return false
	}
	q, s := e.next()
	if q == nil && s == none {
		return e.halted
	}
	return e.first.before(p.local, programSeq|uint64(p.number))
}
