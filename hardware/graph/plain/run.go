package plain

import (
	"fmt"
	"slices"
)

// kind is what an event is.
type kind uint8

const (
	kindRead kind = iota
	kindWrite
	kindBarrier
	kindISB
	kindFence // RISC-V's.
	kindSGI   // A system-register write that makes an interrupt pending.
	kindTake  // An interrupt taken: exception entry.
	kindERET
	kindSEV
	kindWFE
	kindFail  // A store exclusive that failed: no access.
	kindClear // Another thread's write has cleared the exclusive monitor, which sets the event register.
)

// ending says how a wait came out.
type ending uint8

const (
	endingNone ending = iota // No wait.
	endingSeen
	endingPassed  // The deadline passed.
	endingBlocked // Still waiting in the last state.
)

// event is one event of a run. Masks are over the indices of the thread's own events.
type event struct {
	thread, index int
	kind          kind

	cell, off, size int // An access: bytes off to off+size of a cell.
	value           uint64
	acquire, acqPC  bool
	release, noRet  bool
	device          bool
	pair            int  // A write: the index of the read that it forms a read-modify-write with, or -1.
	atomic          bool // Both halves of an LSE atomic or an AMO.
	reserved        bool // A load reserved.

	addr, data, ctrl uint64

	before   Domain // A barrier, as in Instr.
	loads    bool
	stores   bool
	complete bool

	pred, succ Kinds // A fence of RISC-V, as in Instr.
	tso        bool

	target, intid int // SGI, ring (a write), take: whose interrupt and which.
	ring          bool
	wait          ending
	test          Test
	operand       uint64
	masked        bool // State just before the event.
	monitor       int  // The same: the load exclusive whose monitor is open, or -1.
	depth         int  // Handlers running, a take not counted.
}

// trace is one run of a thread with guessed values.
type trace struct {
	events  []event
	regs    [registers]uint64
	blocked bool // In its last event if that is a wait, else in a WFE.
	monitor int  // In a WFE: the load exclusive whose monitor is open, or -1.
	masked  bool
	faulted bool // It left memory or was not aligned.
}

// written is one store that some run made: what reads may guess.
type written struct {
	cell, off, size int
	value           uint64
}

// sent says how often an interrupt of a thread may be sent.
type sent struct{ thread, intid, times int }

// guesses is what the runs of all threads can offer: values to read and interrupts to take.
type guesses struct {
	writes []written // Sorted, each once.
	sends  []sent    // Sorted, each interrupt once.
}

// times is how often an interrupt can be taken at most.
func (g *guesses) times(thread, intid int) int {
	for _, s := range g.sends {
		if s.thread == thread && s.intid == intid {
			return s.times
		}
	}
	return 0
}

// readable lists the values that some mixture of the known writes gives, byte by byte.
func (g *guesses) readable(p *Program, cell, off, size int) []uint64 {
	values := []uint64{0}
	for i := range size {
		choices := []uint64{p.Cells[cell].Init >> (8 * (off + i)) & 0xff}
		for _, w := range g.writes {
			if w.cell == cell && w.off <= off+i && off+i < w.off+w.size {
				choices = append(choices, w.value>>(8*(off+i-w.off))&0xff)
			}
		}
		slices.Sort(choices)
		choices = slices.Compact(choices)
		var next []uint64
		for _, v := range values {
			for _, c := range choices {
				next = append(next, v|c<<(8*i))
			}
		}
		values = next
	}
	return values
}

// frame is code being run: the main program or a handler.
type frame struct {
	code []Instr
	pc   int
}

// state is a run in the making; forking copies it.
type state struct {
	frames   []frame
	regs     [registers]uint64
	deps     [registers]uint64 // The reads that a register's value comes from.
	ctrl     uint64
	events   []event
	monitor  int // The load exclusive that a store exclusive may pair with, or -1.
	masked   bool
	boundary bool // An interrupt may be taken here.
	taken    []int
}

// runner lists the runs of one thread.
type runner struct {
	p      *Program
	thread int
	g      *guesses
	fail   bool // Store exclusives may fail.
	out    []*trace
}

// runsMax bounds the runs of one thread.
const runsMax = 100_000

// runs lists every run of a thread whose reads see guessed values.
func runs(p *Program, thread int, g *guesses, options *Options) ([]*trace, error) {
	r := &runner{p: p, thread: thread, g: g, fail: options.FailExclusive}
	t := &p.Threads[thread]
	err := r.run(&state{
		frames: []frame{{code: t.Code}}, monitor: none, boundary: true, taken: make([]int, len(t.Handlers)),
	})
	return r.out, err
}

func (s *state) fork() *state {
	c := *s
	c.frames = slices.Clone(s.frames)
	c.events = slices.Clone(s.events)
	c.taken = slices.Clone(s.taken)
	return &c
}

// run goes on to the end of the run, forking at each choice.
func (r *runner) run(s *state) error {
	for {
		if s.boundary {
			s.boundary = false
			if err := r.interrupts(s); err != nil {
				return err
			}
		}
		if len(r.out) > runsMax {
			return fmt.Errorf("thread %d has more than %d runs", r.thread, runsMax)
		}
		if len(s.events) > eventsMax-8 {
			return fmt.Errorf("thread %d has more than %d events", r.thread, eventsMax-8)
		}
		f := &s.frames[len(s.frames)-1]
		if f.pc == len(f.code) {
			if len(s.frames) == 1 {
				r.finish(s, trace{monitor: none})
				return nil
			}
			s.add(event{kind: kindERET}, r.thread)
			s.frames = s.frames[:len(s.frames)-1]
			s.masked = false
			if err := r.release(s); err != nil {
				return err
			}
			continue
		}
		in := &f.code[f.pc]
		f.pc++
		if done, err := r.step(s, in); done || err != nil {
			return err
		}
	}
}

// interrupts forks the runs that take an interrupt here. The place is right after the previous event, before any
// branch: a later one has the same events and more dependencies, so it allows nothing else.
func (r *runner) interrupts(s *state) error {
	if s.masked {
		return nil
	}
	for i, h := range r.p.Threads[r.thread].Handlers {
		if s.taken[i] >= r.g.times(r.thread, h.INTID) {
			continue
		}
		c := s.fork()
		c.taken[i]++
		c.add(event{kind: kindTake, target: r.thread, intid: h.INTID}, r.thread)
		c.frames = append(c.frames, frame{code: h.Code})
		c.masked = true
		if err := r.run(c); err != nil {
			return err
		}
	}
	return nil
}

// add appends an event and returns its bit. Its pair, if any, comes as index + 1.
func (s *state) add(e event, thread int) uint64 {
	e.thread, e.index = thread, len(s.events)
	e.masked, e.depth, e.monitor = s.masked, len(s.frames)-1, s.monitor
	e.ctrl |= s.ctrl
	e.pair--
	s.events = append(s.events, e)
	s.boundary = true
	return 1 << e.index
}

func (r *runner) finish(s *state, t trace) {
	t.events, t.regs, t.masked = slices.Clone(s.events), s.regs, s.masked
	r.out = append(r.out, &t)
}

func (s *state) get(o Operand) (value, deps uint64) {
	switch o.Reg {
	case none:
		return o.Imm, 0
	case ZR:
		return 0, 0
	}
	return s.regs[o.Reg], s.deps[o.Reg]
}

func (s *state) set(rd int, value, deps uint64) {
	if rd != ZR {
		s.regs[rd], s.deps[rd] = value, deps
	}
}

// step runs one instruction. It reports whether the run ended.
func (r *runner) step(s *state, in *Instr) (bool, error) {
	switch in.Op {
	case Mov, Add, Sub, Eor, And, Orr, Eq, Ne, Ge:
		s.compute(in)
	case Cbz, Cbnz, Branch:
		s.branch(in)
	case Dmb, Dsb:
		s.add(event{
			kind: kindBarrier, before: in.Domain, loads: in.Loads, stores: in.Stores, complete: in.Op == Dsb,
		}, r.thread)
	case Fence:
		s.add(event{kind: kindFence, pred: in.Pred, succ: in.Succ}, r.thread)
	case FenceTSO:
		s.add(event{kind: kindFence, tso: true}, r.thread)
	case Isb:
		s.add(event{kind: kindISB}, r.thread)
	case Sgi:
		s.add(event{kind: kindSGI, target: in.Target, intid: in.INTID}, r.thread)
	case Ring:
		s.add(event{kind: kindWrite, cell: none, device: true, ring: true, target: in.Target, intid: in.INTID}, r.thread)
	case Mask:
		s.masked = true
	case Unmask:
		s.masked, s.boundary = false, true
	case Sev:
		for t := range r.p.Threads {
			if r.p.Threads[t].waits() {
				s.add(event{kind: kindSEV, target: t}, r.thread)
			}
		}
	case Wfe:
		return false, r.waitEvent(s)
	default:
		return r.access(s, in)
	}
	return false, nil
}

// waitEvent is WFE. Before it wakes up the monitor may be cleared, once: the event register is set. That the value is
// another than the load exclusive has seen does not matter, so all are guessed.
func (r *runner) waitEvent(s *state) error {
	r.finish(s, trace{blocked: true, monitor: s.monitor})
	if s.monitor >= 0 {
		m := &s.events[s.monitor]
		for _, v := range r.g.readable(r.p, m.cell, m.off, m.size) {
			c := s.fork()
			bit := c.add(event{
				kind: kindClear, cell: m.cell, off: m.off, size: m.size, value: v, device: m.device,
			}, r.thread)
			c.monitor = none
			c.ctrl |= bit
			c.frames[len(c.frames)-1].pc-- // the WFE comes still
			if err := r.run(c); err != nil {
				return err
			}
		}
	}
	s.add(event{kind: kindWFE}, r.thread)
	return nil
}

func (s *state) compute(in *Instr) {
	a, da := s.get(in.A)
	b, db := s.get(in.B)
	var v uint64
	switch in.Op {
	case Mov:
		v = a
	case Add:
		v = a + b
	case Sub:
		v = a - b
	case Eor:
		v = a ^ b
	case And:
		v = a & b
	case Orr:
		v = a | b
	case Eq:
		v = truth(a == b)
	case Ne:
		v = truth(a != b)
	case Ge:
		v = truth(a >= b)
	}
	s.set(in.Rd, v, da|db)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (s *state) branch(in *Instr) {
	v, deps := s.get(in.A)
	s.ctrl |= deps
	if in.Op == Branch || (in.Op == Cbz) == (v == 0) {
		s.frames[len(s.frames)-1].pc = in.Target
	}
}

// access runs a memory access. It reports whether the run ended.
func (r *runner) access(s *state, in *Instr) (bool, error) {
	move, addr := s.get(Operand{Reg: in.Addr.Reg})
	at := uint64(in.Addr.Cell*cellBytes) + in.Addr.Off + move
	e := event{
		cell: int(at / cellBytes), off: int(at % cellBytes), size: in.Size, addr: addr,
		acquire: in.Acquire, acqPC: in.AcqPC, release: in.Release,
	}
	if at%uint64(in.Size) != 0 || at >= uint64(len(r.p.Cells)*cellBytes) {
		r.finish(s, trace{faulted: true, monitor: none})
		return true, nil
	}
	e.device = r.p.Cells[e.cell].Device
	switch in.Op {
	case Store:
		v, data := s.get(in.A)
		s.write(r.thread, e, v, data)
		return false, nil
	case StoreExclusive, StoreConditional:
		return false, r.storeExclusive(s, in, e)
	}
	values := r.g.readable(r.p, e.cell, e.off, e.size)
	for _, v := range values {
		if err := r.read(s.fork(), in, e, v); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (s *state) write(thread int, e event, v, data uint64) uint64 {
	e.kind, e.value, e.data = kindWrite, v&mask(e.size), data
	return s.add(e, thread)
}

// mask covers the bytes of an access.
func mask(size int) uint64 { return ^uint64(0) >> (64 - 8*size) }

// read goes on with a read of value v, and with the write of a read-modify-write.
func (r *runner) read(s *state, in *Instr, e event, v uint64) error {
	e.kind, e.value = kindRead, v
	amo := in.Op == AmoSwap || in.Op == AmoAdd
	atomic := amo || in.Op == Swp || in.Op == Ldadd || in.Op == Cas
	w := e
	if e.atomic = atomic; in.Op != Cas && atomic && !amo && in.Rd == ZR {
		e.noRet, e.acquire = true, false // DDI 0487, C6.2: LDADDA (STADD) and SWPA with ZR do not acquire.
	}
	if in.Op == Wait {
		return r.wait(s, in, e)
	}
	e.reserved = in.Op == LoadReserved
	bit := s.add(e, r.thread)
	a, da := s.get(in.A)
	b, db := s.get(in.B)
	w.atomic, w.pair, w.release = atomic, len(s.events), in.Release
	switch in.Op {
	case LoadExclusive, LoadReserved:
		s.monitor = len(s.events) - 1
	case Swp, AmoSwap:
		s.write(r.thread, w, a, da)
	case Ldadd:
		// Ours: aarch64.cat has no data edge within LDADD, so a load forwarded from its write might come before its
		// read, and values out of thin air.
		s.write(r.thread, w, v+a, da|bit)
	case AmoAdd: // One operation: its value comes from it and nothing else.
		s.write(r.thread, w, v+a, da)
	case Cas:
		if v == a&mask(e.size) {
			w.ctrl = da | bit
			s.write(r.thread, w, b, db)
		}
	}
	s.set(in.Rd, v, bit)
	return r.run(s)
}

// wait is a loop whose branch depends on each sample: control reaches everything after it.
func (r *runner) wait(s *state, in *Instr, e event) error {
	operand, deps := s.get(in.A)
	s.ctrl |= deps
	e.test, e.operand = in.Test, operand
	passed := uint64(0)
	switch {
	case in.Test.holds(e.value, operand):
		e.wait = endingSeen
	case in.Passed >= 0:
		e.wait = endingPassed
		passed = 1
	default:
		e.wait = endingBlocked
		s.add(e, r.thread)
		r.finish(s, trace{blocked: true, monitor: none})
		return nil
	}
	bit := s.add(e, r.thread)
	s.ctrl |= bit
	s.set(in.Rd, e.value, bit)
	if in.Passed >= 0 {
		s.set(in.Passed, passed, bit)
	}
	return r.run(s)
}
