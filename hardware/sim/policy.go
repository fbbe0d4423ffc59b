package sim

// An Object is what a step touches: a device is one, a memory location one. Zero is the program itself.
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

// A Policy answers the engine's two questions. Without one the engine is timed: the earliest (time, sequence) is
// next, and 0 is chosen.
type Policy interface {
	// Next picks the channel whose head fires next. The channels are in registration order; there is at least one.
	Next(ready []*Channel) int
	// Choose picks one of n outcomes, n >= 2. Outcome 0 is what the timed policy does.
	Choose(kind Choice, n int) int
}

// SetPolicy installs the explored policy. It must be called before anything is posted.
func (e *Engine) SetPolicy(p Policy) {
	if len(e.heap) != 0 {
		panic("BUG: policy set on an engine with events pending")
	}
	e.policy = p
	e.pin(true)
}

// Choose asks for one of n outcomes of the present step.
func (e *Engine) Choose(kind Choice, n int) int {
	if e.policy == nil || n < 2 {
		return 0
	}
	return e.policy.Choose(kind, n)
}

// chooseNext asks the policy for a channel and answers its head. Deadlines are offered only when nothing else is
// pending.
func (e *Engine) chooseNext() (*Proc, int32) {
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
	ch := e.offered[0]
	if e.chosen != nil {
		ch = e.chosen // the choice stands while stacks unwind to the program
	} else {
		ch = e.offered[e.policy.Next(e.offered)]
	}
	if ch.proc != nil {
		e.chosen = ch
		return ch.proc, none
	}
	return nil, ch.head
}

// Footprint is what the channel's next step touches, for a program's channel; a message is a step of its own
// channel alone.
func (p *Proc) Footprint() Footprint { return p.footprint }

// becomesReady and becomesIdle keep the channels with something pending in registration order, for the policy only.
func (e *Engine) becomesReady(ch *Channel) {
	if e.policy == nil {
		return
	}
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
