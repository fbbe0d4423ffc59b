package host

import lua "github.com/yuin/gopher-lua"

// An Attempt is what a part of a run came to that was done ahead of its turn, or by another host that runs the same
// script.
type Attempt struct {
	Done     bool     // it returned; otherwise it raised an error, printed, or needed more than was left of the budget
	Spent    int64    // instructions
	Failures []string // what it told Fail
}

// Attempt calls fn on L and takes back what can be taken back: an error, the instructions that it spent, and what it
// told Fail; what it prints appears nowhere. Accept makes these count; what was not done is to be done again in its
// turn. The end of the whole run, by its context, by its memory or by a bug, cannot be taken back: it passes through.
func (h *Host) Attempt(L *lua.LState, fn func(L *lua.LState)) (a Attempt) {
	before, outer := h.meter, h.noted
	h.noted, h.early = &a.Failures, false
	defer func() { h.noted = outer }()
	L.Push(L.NewFunction(func(L *lua.LState) int {
		begin := h.meter.rest() // without what protection costs
		defer func() { a.Spent = begin - h.meter.rest() }()
		fn(L)
		return 0
	}))
	err := scopeOf(L).protectedCall(L, 0, true)
	a.Done = err == nil && !h.early
	h.meter.fuel, h.meter.left = before.fuel, before.left
	if err != nil {
		h.run.retract()
		passOn(L, err)
	}
	return a
}

// Accept charges an attempt to the run, and reports what it told Fail. It answers false, and has done nothing, if the
// attempt was not done, or needs more than is left of the budget: it is then to be done again, to stop where it would
// have stopped in its turn.
func (h *Host) Accept(L *lua.LState, a Attempt) bool {
	if !a.Done || a.Spent > h.meter.rest() {
		return false
	}
	scopeOf(L).charge(int(a.Spent))
	for _, text := range a.Failures {
		h.Fail(text)
	}
	return true
}

// Reseed gives math.random a generator of its own until restore is called: what it draws then depends on nothing that
// was drawn before.
func (h *Host) Reseed(seed uint64) (restore func()) {
	outer := h.random
	h.random = newRandom(seed)
	return func() { h.random = outer }
}

// rest is how many instructions the run may still execute.
func (m *meter) rest() int64 { return m.left + m.fuel }
