package sim

import "fmt"

// An Object is what a step touches: a device is one, a memory location one. Zero is nothing but the program itself.
type Object uint64

// A Footprint is what an announced step touches and whether it may change it. Steps with different objects, and two
// reads, commute.
type Footprint struct {
	Object Object
	Write  bool
}

// A Choice names a question with several legal answers.
type Choice uint8

// The questions that models ask.
const (
	ChooseValue  Choice = iota // which of the writes that a load may still read
	ChooseFail                 // whether an STXR fails
	ChooseTarget               // which PE takes a 1-of-N interrupt
	ChooseWalk                 // whether a speculative walk happens
)

// A Policy answers the engine's two questions, and is told what makes steps depend on one another. Without one the
// engine is timed: the earliest (time, sequence) is next, and 0 is chosen.
//
// A step begins when Next has picked its channel, and ends when Next is asked again or the drive ends. A program that
// has touched and caused nothing in its step goes on with what it announces next: nobody could tell the two apart.
// Steps are numbered by [Engine.Fired], the first after a [Engine.Rewind] is 1.
type Policy interface {
	// Next picks the channel whose head fires next. The channels are in registration order; there is at least one.
	// A negative answer ends the drive with [ErrStopped].
	Next(ready []*Channel) int
	// Choose picks one of n outcomes, n >= 2. Outcome 0 is what the timed policy does.
	Choose(kind Choice, n int) int
	// Touch says that the present step touches an object.
	Touch(f Footprint)
	// Disabled says that the present step has withdrawn what a channel was about to do.
	Disabled(ch *Channel)
	// Before reports whether an earlier step has to come before the present one: by program order, because it caused
	// it, or by what the present step has touched so far. A policy that explores every order answers true.
	Before(step uint64) bool
}

// SetPolicy installs the explored policy. It must be called while nothing is pending.
func (e *Engine) SetPolicy(p Policy) {
	if e.Pending() {
		panic("BUG: policy set on an engine with events pending")
	}
	e.policy = p
	e.attend()
}

// Pending reports whether something is to happen when the engine is driven.
func (e *Engine) Pending() bool {
	for len(e.heap) > 0 && e.heap[0].ref >= 0 && e.buckets[e.heap[0].ref].head == none {
		e.dropTop() // what was there was cancelled
	}
	return len(e.heap) != 0 || len(e.ready) != 0
}

// Exploring reports whether a policy is installed.
func (e *Engine) Exploring() bool { return e.policy != nil }

// Choose asks for one of n outcomes of the present step.
func (e *Engine) Choose(kind Choice, n int) int {
	if e.policy == nil || n < 2 {
		return 0
	}
	return e.policy.Choose(kind, n)
}

// Touch tells the policy, if there is one, that the present step touches an object.
func (e *Engine) Touch(object Object, write bool) {
	if e.policy != nil && object != 0 {
		e.quiet = false
		e.policy.Touch(Footprint{Object: object, Write: write})
	}
}

// Before is the policy's answer to whether a step has to come before the present one, true without a policy.
func (e *Engine) Before(step uint64) bool { return e.policy == nil || e.policy.Before(step) }

// chooseNext asks the policy for a channel and answers its head. Deadlines are offered only when nothing else is
// pending.
func (e *Engine) chooseNext() (*Proc, int32) {
	if e.chosen == nil {
		e.offered = e.offered[:0]
		for _, ch := range e.ready {
			if !ch.deadline {
				e.offered = append(e.offered, ch)
			}
		}
		if len(e.offered) == 0 {
			e.offered = append(e.offered, e.ready...)
		}
		if len(e.offered) == 0 {
			return nil, none
		}
		i := e.policy.Next(e.offered)
		if i < 0 {
			e.Fail(ErrStopped)
			return nil, none
		}
		if e.offered[i].proc == nil {
			return nil, e.offered[i].head
		}
		e.chosen = e.offered[i] // the choice stands while stacks unwind to the program
	}
	return e.chosen.proc, none
}

// Cause is the step that made the channel's next step pending: the one that posted the message, or that started, woke
// or interrupted the program. It is 0 for what was there before the first step.
func (e *Engine) Cause(ch *Channel) uint64 {
	if ch.proc != nil {
		return ch.proc.cause
	}
	return uint64(e.slots[ch.head].bucket) // explored, there are no buckets
}

// becomesReady and becomesIdle keep the channels with something pending in registration order, for the policy only.
func (e *Engine) becomesReady(ch *Channel) {
	if e.policy == nil {
		return
	}
	e.quiet = false
	i := len(e.ready)
	for i > 0 && e.ready[i-1].id > ch.id {
		i--
	}
	e.ready = append(e.ready, nil)
	copy(e.ready[i+1:], e.ready[i:])
	e.ready[i] = ch
}

func (e *Engine) becomesIdle(ch *Channel) {
	if e.policy == nil {
		return
	}
	for i, c := range e.ready {
		if c == ch {
			e.ready = append(e.ready[:i], e.ready[i+1:]...)
			return
		}
	}
}

// Rewind makes the engine ready for another execution from an earlier time: what is pending is forgotten, programs
// that have not ended are ended where they stand, and steps count from 0. What the models hold is theirs to restore.
// Precondition: a policy is installed.
func (e *Engine) Rewind(now Time) {
	if e.policy == nil || e.current != nil {
		panic(fmt.Sprintf("BUG: rewind of a timed or running engine to %s", now))
	}
	e.halt()
	for i := 0; i < len(e.workers); i++ {
		if w := e.workers[i]; w.proc.worker == w {
			w.stopped = true
			w.stop()
			e.workers = append(e.workers[:i], e.workers[i+1:]...)
			i--
		}
	}
	for len(e.ready) > 0 {
		ch := e.ready[0]
		if ch.proc != nil {
			e.becomesIdle(ch)
			continue
		}
		e.remove(ch.head)
	}
	for _, p := range e.procs {
		if p.state != idle {
			p.state, p.worker, p.program, p.active = idle, nil, nil, false
			p.cut, p.revocable, p.woken = false, false, false
		}
	}
	e.chosen, e.halted, e.failure, e.now, e.fired = nil, false, nil, now, 0
	e.remarks.clear()
}
