package sim

import (
	"fmt"
	"iter"
	"runtime/debug"
)

// A worker is a coroutine that runs programs one after another. Workers are pooled: a CPU without a program owns none.
type worker struct {
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	proc    *Proc
	stopped bool
}

// Unwinding is the panic with which a closed engine ends the programs that were still running. Code that recovers
// must panic with it again.
type Unwinding struct{}

// Unwind marks the value for recover wrappers that must let it through.
func (Unwinding) Unwind() {}

// Panic is a panic of a program or of a handler on its stack, carried to the caller of [Engine.Drive].
type Panic struct {
	Where string // the program's name
	At    Time   // its clock
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v (in %s at %s)", p.Value, p.Where, p.At) }

// resume gives the stack to q until it waits or ends.
func (e *Engine) resume(q *Proc) {
	if q.worker == nil {
		q.worker = e.takeWorker()
		q.worker.proc = q
	}
	q.active = true
	q.worker.next()
	q.active = false
	e.current = nil
}

func (e *Engine) takeWorker() *worker {
	if n := len(e.pool); n > 0 {
		w := e.pool[n-1]
		e.pool = e.pool[:n-1]
		return w
	}
	w := &worker{}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		for w.runOne() && yield(struct{}{}) {
		}
	})
	e.workers = append(e.workers, w)
	return w
}

// runOne runs the worker's program to its end and gives the worker back. It answers false when the engine was closed.
func (w *worker) runOne() (alive bool) {
	p := w.proc
	e := p.engine
	defer func() {
		r := recover()
		if _, closed := r.(Unwinding); closed {
			return
		}
		if r != nil {
			bug, nested := r.(*Panic)
			if !nested {
				bug = &Panic{Where: p.name, At: p.local, Value: r, Stack: debug.Stack()}
			}
			e.Fail(bug)
		}
		alive = true
		p.state, p.worker, p.program = ended, nil, nil
		w.proc = nil
		e.pool = append(e.pool, w)
		if e.until == p {
			e.halt()
		}
	}()
	p.program.Run(p)
	p.Sync()
	e.now = max(e.now, p.local) // the program ends at its own time, not where it had run ahead from
	return true
}

// suspend yields the stack until p's step has come.
func (p *Proc) suspend() {
	w := p.worker
	if w.stopped || !w.yield(struct{}{}) {
		w.stopped = true
		panic(Unwinding{})
	}
}

// Close ends all programs and gives up their coroutines. The engine must not be driven again.
func (e *Engine) Close() {
	if e.current != nil {
		panic("BUG: engine closed by program " + e.current.name)
	}
	e.halt()
	for _, w := range e.workers {
		w.stopped = true
		w.stop()
	}
	e.workers, e.pool = nil, nil
}

// Deadlock lists the programs that are parked, and what each waits for, in program order.
func (e *Engine) Deadlock() []*Proc {
	var waiting []*Proc
	for _, p := range e.procs {
		if p.state == parked {
			waiting = append(waiting, p)
		}
	}
	return waiting
}
