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
		defer w.recover()
		for {
			p := w.proc
			p.program.Run(p)
			p.end()
			p.engine.pool = append(p.engine.pool, w)
			if !yield(struct{}{}) {
				return
			}
		}
	})
	e.workers = append(e.workers, w)
	return w
}

// end closes the books of a program that has returned. It ends at its own time, not where it had run ahead from.
func (p *Proc) end() {
	e := p.engine
	p.Settle()
	e.now = max(e.now, p.local)
	p.state, p.worker, p.program = ended, nil, nil
	if e.until == p {
		e.halt()
	}
}

// recover ends a coroutine whose program panicked: with the engine's own panic when that was closed, otherwise by
// handing the panic to the driver. The coroutine is not used again.
func (w *worker) recover() {
	r := recover()
	if _, closed := r.(Unwinding); closed || r == nil {
		return
	}
	p := w.proc
	bug, nested := r.(*Panic)
	if !nested {
		bug = &Panic{Where: p.name, At: p.local, Value: r, Stack: debug.Stack()}
	}
	p.state, p.worker, p.program = ended, nil, nil
	p.engine.Fail(bug)
}

// suspend yields the stack until p's step has come.
func (p *Proc) suspend() {
	w := p.worker
	if w.stopped || !w.yield(struct{}{}) {
		w.stopped = true
		panic(Unwinding{})
	}
}

// Close ends all programs and gives up their coroutines. The engine must not be driven again,
// unless it is rewound.
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
