package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Result is how a transaction of a device has ended.
type Result uint8

// The results.
const (
	Performed  Result = iota // in the system; Answer says how
	Aborted                  // by the SMMU
	Terminated               // by the SMMU, as one that reads zero and writes nothing
)

// String is the result in traces.
func (r Result) String() string { return [...]string{"performed", "aborted", "terminated"}[r] }

// A Client is a device behind the SMMU.
type Client interface {
	// Answered is the end of a request, which can be submitted again.
	Answered(r *Request, now sim.Time)
}

// A Request is a transaction of a device on its way through the SMMU. The device fills the transaction in, Addr being
// an input address and Master saying the stream, and submits it; once answered it can do so again.
type Request struct {
	bus.Transaction
	Substream bool // Master.SubstreamID is there
	Execute   bool // an instruction fetch

	Result Result
	Answer bus.Answer // of the system

	client  Client
	s       *SMMU
	channel sim.Channel
	state   requestState
	t       translation
	own     bus.Transaction // that reads structures and descriptors for it
	aborted bool            // the latest of these
	named   bool            // an invalidation names what it uses, or may use
	tag     uint16          // STAG, while it stalls
	index   int             // in flight.list
}

// requestState is where a request is.
type requestState uint8

const (
	requestIdle      requestState = iota
	requestArrived                // it will be looked up
	requestReading                // a structure or descriptor is on its way
	requestLeaving                // translated, and on its way into the system
	requestAccessing              // in the system
	requestFaulted                // its record is on its way, after which it may stall
	requestStalled                // software has to decide
	requestBlocked                // the Event queue has no room for its record
	requestEnding                 // terminated, the answer is on its way
)

// String is the state in dumps.
func (s requestState) String() string {
	return [...]string{
		"idle", "arrived", "reading", "leaving", "accessing", "faulted", "stalled", "blocked", "ending",
	}[s]
}

// NewRequest makes a request of a device. It is made once and submitted many times.
func (s *SMMU) NewRequest(c Client, name string) *Request {
	r := &Request{client: c, s: s}
	s.eng.Register(&r.channel, name+" through "+s.master.Name)
	return r
}

// Submit sends a request, which must not be under way. Its transaction stays within a line.
func (r *Request) Submit() {
	if r.state != requestIdle {
		panic("BUG: a request is submitted while it is " + r.state.String())
	}
	r.s.flight.enter(r)
	r.s.stats.Transactions++
	r.arrive()
}

// arrive begins, or begins anew.
func (r *Request) arrive() {
	r.t.input = r.input()
	r.become(requestArrived, r.s.after(Lookup))
}

// input is what the device asks for.
func (r *Request) input() input {
	m := r.Master
	return input{
		stream: m.StreamID, substream: m.SubstreamID, hasSubstream: r.Substream, addr: uint64(r.Addr), attr: r.Attr,
		access: mmu.Access{
			Write: r.Op == bus.Write || r.Op == bus.ReadModify, Execute: r.Execute, Privileged: r.Attr.Privileged,
		},
		modify: r.Op == bus.ReadModify,
	}
}

// become goes to a state that ends at a time.
func (r *Request) become(state requestState, at sim.Time) {
	r.state = state
	r.s.eng.Post(&r.channel, at, r, r.s.tag(0))
}

// Fire ends the present state.
func (r *Request) Fire(now sim.Time, arg uint64) {
	if r.s.void(arg) {
		return
	}
	switch r.state {
	case requestArrived:
		r.t.begin(r.s)
		r.step(now)
	case requestReading:
		r.t.give(r.s, &r.own.Data, r.aborted)
		r.step(now)
	case requestLeaving:
		r.access(now)
	case requestAccessing, requestEnding:
		r.finish(now)
	default:
		panic("BUG: a request is " + r.state.String() + " and has nothing to end")
	}
}

// step goes on where the translation stands.
func (r *Request) step(now sim.Time) {
	switch r.t.phase {
	case translated:
		if r.s.eng.Tracing {
			r.s.trace("stream %d: 0x%x is 0x%x", r.t.stream, r.t.input.addr, r.t.output)
		}
		r.become(requestLeaving, r.s.after(Downstream))
	case terminated:
		r.terminate(now)
	default:
		r.read(now)
	}
}

// read reads what the translation wants.
func (r *Request) read(now sim.Time) {
	s, t := r.s, &r.t
	r.own = bus.Transaction{
		Master: s.master, At: now, Addr: bus.Addr(t.addr), Len: t.length, Op: bus.Read, Attr: t.how,
	}
	a := s.memory.Transact(&r.own)
	r.aborted = failed(a.Fault)
	if s.stats.Reads++; s.eng.Tracing {
		s.trace("stream %d: %s at 0x%x: 0x%x%s", t.stream, t.phase, t.addr, r.own.Data[0], faultText(a.Fault))
	}
	r.become(requestReading, a.Done+s.spec.Latency[WalkStep])
}

// access makes the transaction in the system.
func (r *Request) access(now sim.Time) {
	addr, attr := r.Addr, r.Attr
	r.At, r.Addr, r.Attr = now, bus.Addr(r.t.output), r.t.outAttr
	r.Answer = r.s.memory.Transact(&r.Transaction)
	r.Addr, r.Attr = addr, attr
	r.Result = Performed
	r.become(requestAccessing, r.Answer.Done)
}

// terminate ends a transaction that the translation has refused, or lets it stall.
func (r *Request) terminate(now sim.Time) {
	s, e := r.s, &r.t.event
	if s.eng.Tracing {
		s.trace("stream %d: 0x%x terminated: %s", r.t.stream, r.t.input.addr, EventName(e.id))
	}
	if s.stats.Faults++; e.id != 0 && e.stalls {
		s.flight.unname(r)
		r.state = requestFaulted
		s.events.send(record{e.record(), r})
		return
	}
	if e.id != 0 && !e.silent {
		s.events.send(record{e.record(), nil})
	}
	r.refuse(e.zero, now)
}

// refuse answers a transaction that is not made.
func (r *Request) refuse(zero bool, now sim.Time) {
	if r.Result = Aborted; zero {
		r.Result = Terminated
	}
	if r.Op == bus.Read || r.Op == bus.ReadModify {
		r.Data = [len(r.Data)]uint64{}
	}
	r.Answer = bus.Answer{Done: now}
	r.become(requestEnding, now)
}

// finish answers.
func (r *Request) finish(now sim.Time) {
	r.s.flight.leave(r)
	r.client.Answered(r, now)
}
