// Package sim is the deterministic engine under every model: simulated time, ordered events, and programs on
// coroutines.
//
// # Mental model
//
// An event is (time, sequence, channel, handler, argument). A channel is one ordered source of events: an interrupt
// wire, a device's command consumer, the deadline of a wait, a CPU's program. A [Proc] is sequential code on a
// coroutine whose own clock runs ahead of the engine's:
//
//	program      Advance ── Advance ── Sync ─────────────┐ Advance ── Sync ...
//	                 (its clock only)   │ yields to what  │
//	engine                              └─ is due first ──┘
//
// Advance only adds. Sync, called before every access that others can see, lets the events that are due first fire
// first, so that the result is that of an engine which turns every Advance into an event ([Engine.SetEager] is that
// engine; a test holds both to the same bytes).
//
// # Total order
//
// Events fire by (time, sequence) and nothing else. Messages take the next sequence number when they are posted;
// the step of a program has the program's number in the upper half of the sequence space. At one tick, therefore,
// messages come first, in posting order, then programs in the order of their numbers, however far each of them had
// run ahead.
//
// # Whoever waits runs the loop
//
// There is no scheduler goroutine. A program that has to wait fires events on its own stack until its own step is
// due, resuming other programs' coroutines from there; a program further down such a chain of stacks is reached by
// yielding to it. This halves the coroutine switches of a central loop.
//
// Reading order: time.go, queue.go, engine.go, proc.go, coroutine.go, jitter.go, trace.go.
package sim
