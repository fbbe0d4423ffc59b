package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An operation is a command, or a message, on its way: the engine's side of it.
type operation struct {
	i       *ITS
	channel sim.Channel
	stage   stage
	t       bus.Transaction
	faulted bool // the access has
	task
}

// stage is where an operation is.
type stage uint8

const (
	idle     stage = iota
	fetching       // its words come
	running        // its steps are done
)

// A task is what an operation is about: a list of steps and what they have found so far. Steps make no accesses and
// send nothing: they demand it.
type task struct {
	words  gic.ITSCommand
	opcode gic.ITSOpcode
	steps  []step
	phase  phase // of the first of them

	dte, ite, cte, to uint64 // the entries that were read; to is the CTE that MOVI moves to
	store             bool   // the step writes its entry
	entry             uint64 // ... with this
	told              order  // to be sent

	reason Reason // why it has failed
	about  uint64 // what is wrong
}

// A step is a piece of an operation's work. It is called again when its demand has been met.
type step func(o *operation) demand

// demand is what a step needs to go on, or how it has ended.
type demand uint8

const (
	done   demand = iota // it has ended
	access               // the transaction
	send                 // what it tells a redistributor is put on the wire; it ends
	wait                 // ... and the redistributor answers
	pause                // until it is called again
	failed
)

// phase is how far a step has come.
type phase uint8

const (
	begun   phase = iota
	level1        // the entry of the first level has been asked for
	reached       // the entry itself has
	asked         // a redistributor has
)

func (o *operation) init(i *ITS, name string) {
	o.i, o.t.Master = i, i.ports.Master
	i.eng.Register(&o.channel, name)
}

// begin makes the operation a task.
func (o *operation) begin(opcode gic.ITSOpcode) {
	o.stage = running
	words := o.words
	o.task = task{words: words, opcode: opcode, steps: o.i.programs.of(opcode)}
}

// post continues the operation at a time.
func (o *operation) post(at sim.Time) { o.i.eng.Post(&o.channel, at, o, o.i.epoch) }

// Fire continues the operation.
func (o *operation) Fire(now sim.Time, epoch uint64) {
	switch {
	case epoch != o.i.epoch:
	case o.faulted:
		o.faulted = false
		o.fail(accessFault, uint64(o.t.Addr))
		o.end(now)
	case o.stage == fetching:
		o.i.fetched(now)
	default:
		o.run(now)
	}
}

// run does steps until one has to wait.
func (o *operation) run(now sim.Time) {
	for len(o.steps) > 0 {
		switch o.steps[0](o) {
		case done:
		case send:
			o.i.tell(&o.told, now)
		case access:
			o.transact(now)
			return
		case wait:
			o.phase = asked
			o.told.answer = true
			o.i.tell(&o.told, now)
			return
		case pause:
			return
		case failed:
			o.end(now)
			return
		}
		o.steps, o.phase, o.store = o.steps[1:], begun, false
	}
	o.end(now)
}

// end is the end of the operation.
func (o *operation) end(now sim.Time) {
	message := o != &o.i.command
	if o.reason != noReason {
		o.i.note(Event{
			At: now, Message: message, Offset: o.i.creadr, Command: o.words, Opcode: o.opcode, Reason: o.reason,
			About: o.about,
		})
	}
	if message {
		o.i.translated(o, now)
	} else {
		o.i.finished(now)
	}
}

// load and save make the transaction an access of the step.
func (o *operation) load(addr uint64, size uint8, attr bus.Attr) demand {
	o.t.Op, o.t.Addr, o.t.Len, o.t.Attr = bus.Read, bus.Addr(addr), size, attr
	return access
}

func (o *operation) save(addr uint64, size uint8, attr bus.Attr, v uint64) demand {
	o.load(addr, size, attr)
	o.t.Op = bus.Write
	o.t.Data[0], o.t.Data[1] = v, 0
	return access
}

// transact makes the transaction. The operation goes on when it has been answered.
func (o *operation) transact(now sim.Time) {
	o.t.At = now
	a := o.i.ports.Memory.Transact(&o.t)
	o.faulted = a.Fault != bus.NoFault
	o.post(max(a.Done, now))
}

// fail ends the operation in error.
func (o *operation) fail(r Reason, about uint64) demand {
	o.reason, o.about = r, about
	return failed
}
