package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// outputKind tells the queues that the SMMU writes apart.
type outputKind uint8

const (
	eventOutput outputKind = iota
	priOutput
)

// outputs is what differs between the two.
var outputs = [...]struct {
	name             string
	base, prod, cons uint64
	log2             func(s *SMMU) int
	shift            uint8 // log2 of the bytes of an entry
	enable           bits.Field
	irq              bits.Field
	abort, msiAbort  bits.Field
}{
	eventOutput: {
		"SMMU_EVENTQ", smmu.SMMU_EVENTQ_BASE, smmu.SMMU_EVENTQ_PROD, smmu.SMMU_EVENTQ_CONS,
		func(s *SMMU) int { return s.spec.EventLog2 }, 5, smmu.SMMU_CR0_EVENTQEN, smmu.SMMU_IRQ_CTRL_EVENTQ_IRQEN,
		smmu.SMMU_GERROR_EVENTQ_ABT_ERR, smmu.SMMU_GERROR_MSI_EVENTQ_ABT_ERR,
	},
	priOutput: {
		"SMMU_PRIQ", smmu.SMMU_PRIQ_BASE, smmu.SMMU_PRIQ_PROD, smmu.SMMU_PRIQ_CONS,
		func(s *SMMU) int { return s.spec.PRILog2 }, 4, smmu.SMMU_CR0_PRIQEN, smmu.SMMU_IRQ_CTRL_PRIQ_IRQEN,
		smmu.SMMU_GERROR_PRIQ_ABT_ERR, smmu.SMMU_GERROR_MSI_PRIQ_ABT_ERR,
	},
}

// A record is an entry of an output queue on its way.
type record struct {
	words   [4]uint64
	request *Request // that stalls if the record is written, nil for none
}

// An output writes records to its queue, one after another.
//
// Invariant: while records wait, an event is pending: that the first is written, or visible.
type output struct {
	s       *SMMU
	kind    outputKind
	channel sim.Channel
	waiting fifo[record]
	written bool   // the first, which is not visible yet
	put     uint64 // records so far
	gone    uint64 // of these, those that no longer wait
	t       bus.Transaction
}

func (o *output) init(s *SMMU, kind outputKind) {
	o.s, o.kind = s, kind
	s.eng.Register(&o.channel, s.master.Name+" "+outputs[kind].name)
}

func (o *output) reset() {
	o.waiting.clear()
	o.written, o.put, o.gone = false, 0, 0
}

// output is one of the two.
func (s *SMMU) output(kind outputKind) *output {
	if kind == eventOutput {
		return &s.events
	}
	return &s.pri
}

func (o *output) registers() *queueRegisters {
	if o.kind == eventOutput {
		return &o.s.r.event
	}
	return &o.s.r.pri
}

func (o *output) ring() ring { return newRing(o.registers().base, outputs[o.kind].shift) }

// leaving reports whether a record has been written and is not visible yet.
func (o *output) leaving() bool { return o.written }

// overflowed reports whether software has not acknowledged that records were lost.
func (q *queueRegisters) overflowed() bool {
	return smmu.SMMU_EVENTQ_PROD_OVFLG.Is(q.prod ^ q.cons)
}

// room reports whether a record can be written: the queue is on, has not failed, and has space.
func (o *output) room() bool {
	q, k := o.registers(), &outputs[o.kind]
	return o.s.on(k.enable) && !o.s.failing(k.abort) && !o.full(q)
}

// full: pointers that are inconsistent count as full. IHI 0070, 3.5.1.
func (o *output) full(q *queueRegisters) bool {
	return o.ring().used(q.prod, q.cons) >= o.ring().size()
}

// send makes a record leave after its time.
func (o *output) send(r record) {
	o.put++
	o.waiting.push(r)
	if o.waiting.len() == 1 {
		o.s.eng.Post(&o.channel, o.s.after(RecordIssue), o, o.s.tag(0))
	}
}

// Fire writes the first record, or finds that it has arrived.
func (o *output) Fire(now sim.Time, arg uint64) {
	if o.s.void(arg) {
		return
	}
	if o.written {
		o.visible()
	} else if o.begin(now) {
		return
	}
	o.gone++
	o.waiting.pop()
	if o.waiting.len() > 0 {
		o.s.eng.Post(&o.channel, o.s.after(RecordIssue), o, o.s.tag(0))
	}
	o.s.control.settled()
	o.s.cmdq.progress()
}

// begin writes the first record if there is room. Otherwise it is lost, which the overflow flag tells; one of a
// transaction that stalls is not: that waits until there is room, and is tried anew. IHI 0070, 3.12.2 and 7.4.
func (o *output) begin(now sim.Time) bool {
	s, q, k := o.s, o.registers(), &outputs[o.kind]
	r := o.waiting.front()
	switch {
	case r.request != nil && !s.on(smmu.SMMU_CR0_SMMUEN): // nothing stalls any more
		r.request.arrive()
		return false
	case o.room():
	case r.request != nil:
		s.flight.block(r.request)
		return false
	default:
		if s.on(k.enable) && !s.failing(k.abort) {
			o.overflow(q)
		}
		return false
	}
	if r.request != nil && !s.flight.stall(r.request, &r.words) {
		return false
	}
	o.t = bus.Transaction{
		Master: s.master, At: now, Addr: bus.Addr(o.ring().at(q.prod)), Len: 1 << k.shift, Op: bus.Write,
		Attr: s.queueAccess(q.base),
	}
	copy(o.t.Data[:], r.words[:])
	a := s.memory.Transact(&o.t)
	if failed(a.Fault) {
		s.raise(k.abort)
		return false
	}
	o.written = true
	s.eng.Post(&o.channel, a.Done, o, s.tag(0))
	return true
}

// overflow tells that a record was lost, if software has acknowledged the last time.
func (o *output) overflow(q *queueRegisters) {
	o.s.stats.Lost++
	if !q.overflowed() {
		q.prod ^= uint64(smmu.SMMU_EVENTQ_PROD_OVFLG)
	}
}

// visible moves PROD behind the first record, and tells software if the queue was empty.
func (o *output) visible() {
	o.written = false
	s, q, k := o.s, o.registers(), &outputs[o.kind]
	ring := o.ring()
	was := ring.empty(q.prod, q.cons)
	q.prod = q.prod&uint64(smmu.SMMU_EVENTQ_PROD_OVFLG) | ring.next(q.prod)
	s.stats.Records++
	if s.eng.Tracing {
		s.trace("%s_PROD 0x%x", k.name, q.prod)
	}
	switch {
	case !was:
	case o.kind == eventOutput:
		s.interrupt(k.irq, &s.r.eventIRQ, k.msiAbort, s.lines.Event)
	default:
		s.interrupt(k.irq, &s.r.priIRQ, k.msiAbort, s.lines.PRI)
	}
}

// consumed is called when software may have made room.
func (o *output) consumed() {
	if o.kind == eventOutput && o.room() {
		o.s.flight.retryBlocked()
	}
}
