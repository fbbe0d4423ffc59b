package sim

import (
	"fmt"
	"slices"
)

// A Kind says what a record is.
type Kind uint8

// The kinds.
const (
	Step   Kind = iota // an access, a barrier, a register, a step of a handler: Text says what
	Enter              // a program enters a function of the kernel, Symbol
	Leave              // and leaves the one it has entered last
	Send               // a message leaves: Symbol is what it is, Value from whom to whom
	Arrive             // and arrives; those with one value do so in the order in which they were sent
)

// Kinds is a set of kinds.
type Kinds uint8

// Of is the set of some kinds.
func Of(kinds ...Kind) (set Kinds) {
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether a kind is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 != 0 }

// A Record is something that has happened. All of what is shown of a run is made of the one stream of them: traces as
// text, pictures, and what time was spent for.
type Record struct {
	At     Time
	Source string // the CPU or device: "CPU3", "GICD"
	Kind   Kind
	Symbol string
	Value  uint64
	Text   string
}

// A Tracer receives records, those of a source in the order of their times. The record is good during the call.
type Tracer interface {
	Trace(r *Record)
	// Wants is the kinds that it is to be given.
	Wants() Kinds
}

// A TextTracer is a tracer of steps that says for each what is done, with its time and by whom.
type TextTracer func(at Time, source, what string)

// Trace is Tracer.
func (t TextTracer) Trace(r *Record) { t(r.At, r.Source, r.Text) }

// Wants is Tracer.
func (t TextTracer) Wants() Kinds { return Of(Step) }

// Attach gives a tracer the records from now on, and Detach takes the latest one off again.
func (e *Engine) Attach(t Tracer) {
	e.tracers = append(e.tracers, t)
	e.updateTracing()
}

// Detach undoes the latest Attach.
func (e *Engine) Detach() {
	e.tracers = slices.Delete(e.tracers, len(e.tracers)-1, len(e.tracers))
	e.updateTracing()
}

func (e *Engine) updateTracing() {
	e.wanted = 0
	for _, t := range e.tracers {
		e.wanted |= t.Wants()
	}
	e.Tracing = e.wanted.Has(Step)
}

// Wants reports whether somebody wants records of a kind.
func (e *Engine) Wants(k Kind) bool { return e.wanted.Has(k) }

// Record gives a record to all who want its kind. Callers stand behind [Engine.Wants].
func (e *Engine) Record(r Record) {
	for _, t := range e.tracers {
		if t.Wants().Has(r.Kind) {
			t.Trace(&r)
		}
	}
}

// Trace writes a record of a step. Callers stand behind [Engine.Tracing], so that the untraced path formats and boxes
// nothing.
func (e *Engine) Trace(at Time, source, format string, args ...any) {
	if e.Tracing {
		e.Record(Record{At: at, Source: source, Kind: Step, Text: fmt.Sprintf(format, args...)})
	}
}
