package sim

import "fmt"

// A Tracer receives one record for each access, barrier, register, message and handler step.
type Tracer interface {
	// Trace is called with the time of the step, who takes it ("CPU3", "GICD"), and what it is.
	Trace(at Time, source, what string)
}

// An ObjectTracer is a tracer that also wants to know what a record is about.
type ObjectTracer interface {
	Tracer
	// About names the object of the record that follows, and the program or channel whose access it is.
	About(object Object, owner string)
}

// About says what the next record is about. Callers stand behind [Engine.Tracing].
func (e *Engine) About(object Object, owner string) {
	if t, ok := e.tracer.(ObjectTracer); ok {
		t.About(object, owner)
	}
}

// SetTracer installs a tracer, nil for none.
func (e *Engine) SetTracer(t Tracer) {
	e.tracer = t
	e.Tracing = t != nil
	e.attend()
}

// Tracer is the installed tracer, nil for none.
func (e *Engine) Tracer() Tracer { return e.tracer }

// Trace writes a record. Callers stand behind [Engine.Tracing], so that the untraced path formats and boxes nothing.
func (e *Engine) Trace(at Time, source, format string, args ...any) {
	if e.tracer != nil {
		e.tracer.Trace(at, source, fmt.Sprintf(format, args...))
	}
}

// Calls is told when a program enters a function of the kernel and when it leaves it, in order of time for each source.
type Calls interface {
	Enter(at Time, source, symbol string)
	Leave(at Time, source string)
}

// SetCalls installs what is told of functions, nil for nobody.
func (e *Engine) SetCalls(c Calls) { e.calls = c }

// Calls is what is told of functions, nil if nobody is.
func (e *Engine) Calls() Calls { return e.calls }
