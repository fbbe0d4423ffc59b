package graph_test

import (
	"fmt"
	"strconv"
	"strings"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// This file executes the text programs of package plain on the explorer. It reads the language by itself: the two share
// no type, so what one of them misunderstands the other does not.

// textProgram is a program of plain's language.
type textProgram struct {
	cells   []textCell
	threads []*textThread
	events  []int // the threads that have an event register that matters, each with its byte of one object
}

type textCell struct {
	name   string
	first  uint64
	device bool
}

// textThread is a thread with the state of its run.
type textThread struct {
	p        *textProgram
	number   int
	code     []textStep
	handlers []textHandler

	regs    [16]Value
	named   [16]bool // as a destination
	masked  bool
	monitor [2]uint64 // address and size of the load-exclusive that is open
	log     []textEvent
	waiting textEvent // the wait at which it may stand
}

type textHandler struct {
	intid int
	code  []textStep
}

// textStep does an instruction and answers the one to go on with.
type textStep func(t *textThread, h *Handle, next int) int

// textEvent is an event of plain's in the making: the operation of the graph that it is.
type textEvent struct {
	kind   string
	op     int // -1: none
	at     uint64
	size   uint8
	target int
	intid  int
}

// Where the objects of a program are.
const (
	cellsAt  = 0x1000
	eventsAt = 0x2000
	linesAt  = 0x3000
)

func textLine(target, intid int) uint64 { return linesAt + uint64(target*64+intid)*8 }

// textOperand is a register, or a number if reg is negative; register 31 is zr.
type textOperand struct {
	reg  int
	bits uint64
}

func (t *textThread) get(o textOperand) Value {
	switch o.reg {
	case -1:
		return Constant(o.bits)
	case 31:
		return Value{}
	}
	return t.regs[o.reg]
}

func (t *textThread) set(o textOperand, v Value) {
	if o.reg != 31 {
		t.regs[o.reg] = v
	}
}

// did notes the operation just done.
func (t *textThread) did(h *Handle, e textEvent) {
	if n := len(t.log); n > 0 && t.log[n-1].kind == "BLOCKED" { // in another execution
		t.log = t.log[:n-1]
	}
	e.op = h.Done() - 1
	t.log = append(t.log, e)
}

// program makes the explorer's program.
func (p *textProgram) program() *Program {
	q := &Program{Initial: func(at uint64, size uint8) uint64 {
		if at >= eventsAt {
			return 0
		}
		v := p.cells[(at-cellsAt)/8].first >> (8 * ((at - cellsAt) % 8))
		return v & sizeMask(size)
	}}
	for _, t := range p.threads {
		thread := Thread{Run: func(h *Handle) {
			t.regs, t.masked, t.monitor, t.log = [16]Value{}, false, [2]uint64{}, t.log[:0]
			t.run(h, t.code)
		}}
		for i := range t.handlers {
			thread.Lines = append(thread.Lines, Line{Object: textLine(t.number, t.handlers[i].intid), Handler: func(h *Handle) {
				t.handle(h, &t.handlers[i])
			}})
		}
		q.Threads = append(q.Threads, thread)
	}
	return q
}

func sizeMask(size uint8) uint64 { return ^uint64(0) >> (64 - 8*size) }

func (t *textThread) run(h *Handle, code []textStep) {
	for pc := 0; pc < len(code); {
		pc = code[pc](t, h, pc+1)
	}
}

// handle is an interrupt: an exception return sets the event register and clears the monitor.
func (t *textThread) handle(h *Handle, handler *textHandler) {
	t.did(h, textEvent{kind: "TAKE", target: t.number, intid: handler.intid})
	masked := t.masked
	t.masked = true
	t.run(h, handler.code)
	if at, ok := t.p.event(t.number); ok {
		h.Write(Constant(at), 1, System, Constant(1))
	} else {
		h.Point()
	}
	h.SetMasked(true)
	t.did(h, textEvent{kind: "ERET"})
	t.masked, t.monitor = masked, [2]uint64{}
}

// event is where the event register of a thread is.
func (p *textProgram) event(thread int) (at uint64, ok bool) {
	for i, t := range p.events {
		if t == thread {
			return eventsAt + uint64(i), true
		}
	}
	return 0, false
}

// place is an address in the making.
type textPlace struct {
	at   uint64
	move textOperand
}

func (t *textThread) address(m textPlace) (Value, Class) {
	v := t.get(m.move)
	v = v.With(m.at + v.Bits)
	if t.p.cells[(v.Bits-cellsAt)/8].device {
		return v, Device
	}
	return v, 0
}

// textParser reads a program.
type textParser struct {
	p      *textProgram
	thread *textThread
	code   *[]textStep
	labels map[string]int
}

func parseText(text string) *textProgram {
	r := &textParser{p: &textProgram{}}
	for _, line := range strings.Split(text, "\n") {
		w := strings.Fields(strings.ReplaceAll(line, ",", " "))
		if len(w) == 0 {
			continue
		}
		r.line(w)
	}
	return r.p
}

func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func (r *textParser) line(w []string) {
	switch {
	case w[0] == "cell" || w[0] == "device":
		r.p.cells = append(r.p.cells, textCell{w[1], number(w[2]), w[0] == "device"})
	case w[0] == "thread":
		r.thread = &textThread{p: r.p, number: len(r.p.threads)}
		r.p.threads = append(r.p.threads, r.thread)
		r.code, r.labels = &r.thread.code, map[string]int{}
	case w[0] == "handler":
		r.thread.handlers = append(r.thread.handlers, textHandler{intid: int(number(w[1]))})
		r.code, r.labels = &r.thread.handlers[len(r.thread.handlers)-1].code, map[string]int{}
	case strings.HasSuffix(w[0], ":"):
		r.labels[strings.TrimSuffix(w[0], ":")] = len(*r.code)
	default:
		if n := len(r.p.events); w[0] == "wfe" && (n == 0 || r.p.events[n-1] != r.thread.number) {
			r.p.events = append(r.p.events, r.thread.number)
		}
		*r.code = append(*r.code, r.instruction(w))
	}
}

func (r *textParser) operand(text string) textOperand {
	switch {
	case text == "zr":
		return textOperand{reg: 31}
	case text[0] == 'r':
		return textOperand{reg: int(number(text[1:]))}
	}
	return textOperand{reg: -1, bits: number(text)}
}

func (r *textParser) destination(text string) textOperand {
	o := r.operand(text)
	if o.reg != 31 {
		r.thread.named[o.reg] = true
	}
	return o
}

func (r *textParser) place(text string) textPlace {
	parts := strings.Split(strings.Trim(text, "[]"), "+")
	m := textPlace{move: textOperand{reg: -1}}
	for i := range r.p.cells {
		if r.p.cells[i].name == parts[0] {
			m.at = cellsAt + 8*uint64(i)
		}
	}
	for _, part := range parts[1:] {
		if o := r.operand(part); o.reg >= 0 {
			m.move = o
		} else {
			m.at += o.bits
		}
	}
	return m
}

var computations = map[string]func(a, b uint64) uint64{
	"mov": func(a, _ uint64) uint64 { return a }, "add": func(a, b uint64) uint64 { return a + b },
	"sub": func(a, b uint64) uint64 { return a - b }, "eor": func(a, b uint64) uint64 { return a ^ b },
	"and": func(a, b uint64) uint64 { return a & b }, "orr": func(a, b uint64) uint64 { return a | b },
	"eq": func(a, b uint64) uint64 { return truth(a == b) }, "ne": func(a, b uint64) uint64 { return truth(a != b) },
	"ge": func(a, b uint64) uint64 { return truth(a >= b) },
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (r *textParser) instruction(w []string) textStep {
	if f, ok := computations[w[0]]; ok {
		rd, a, b := r.destination(w[1]), r.operand(w[2]), textOperand{reg: -1}
		if len(w) > 3 {
			b = r.operand(w[3])
		}
		return func(t *textThread, _ *Handle, next int) int {
			x, y := t.get(a), t.get(b)
			t.set(rd, x.With(f(x.Bits, y.Bits), y))
			return next
		}
	}
	switch w[0] {
	case "cbz", "cbnz", "b":
		return r.branch(w)
	case "dmb", "dsb":
		return fenceStep(w)
	case "isb":
		return func(t *textThread, h *Handle, next int) int {
			h.Synchronize()
			t.did(h, textEvent{kind: "FENCE"})
			return next
		}
	case "sgi", "ring":
		return signalStep(w[0], int(number(w[1])), int(number(w[2])))
	case "mask":
		return (*textThread).mask
	case "unmask":
		return (*textThread).unmask
	case "sev":
		return (*textThread).sev
	case "wfe":
		return (*textThread).wfe
	}
	if step := r.riscv(w); step != nil {
		return step
	}
	stem, size, ok := strings.Cut(w[0], ".")
	if !ok {
		panic(fmt.Sprint("unknown instruction ", w))
	}
	return r.access(stem, uint8(number(size)), w[1:])
}

func (r *textParser) branch(w []string) textStep {
	labels, label := r.labels, w[len(w)-1]
	if w[0] == "b" {
		return func(_ *textThread, _ *Handle, _ int) int { return labels[label] }
	}
	a := r.operand(w[1])
	return func(t *textThread, h *Handle, next int) int {
		if (h.Branch(t.get(a)) == 0) == (w[0] == "cbz") {
			return labels[label]
		}
		return next
	}
}

// fenceStep is a barrier; what is complete for the own PE alone orders nothing.
func fenceStep(w []string) textStep {
	f := fence(w[0], w[1])
	if strings.HasPrefix(w[1], "nsh") {
		f = Fence{}
	}
	return func(t *textThread, h *Handle, next int) int {
		h.Fence(f)
		t.did(h, textEvent{kind: "FENCE"})
		return next
	}
}

func signalStep(word string, target, intid int) textStep {
	e := textEvent{kind: "SGI", target: target, intid: intid}
	class := Message
	if word == "ring" {
		e.kind, class = "RING", Write|Device|Early
	}
	return func(t *textThread, h *Handle, next int) int {
		h.Write(Constant(textLine(target, intid)), 8, class, Constant(1))
		t.did(h, e)
		return next
	}
}

// mask leaves a place before it where an interrupt may be taken.
func (t *textThread) mask(h *Handle, next int) int {
	if !t.masked {
		h.Point()
		h.SetMasked(true)
		t.masked = true
	}
	return next
}

func (t *textThread) unmask(h *Handle, next int) int {
	h.SetMasked(false)
	t.masked = false
	return next
}

// sev sets the event registers, one after another.
func (t *textThread) sev(h *Handle, next int) int {
	for i, target := range t.p.events {
		class := Message
		if target == t.number {
			class = System
		}
		h.Write(Constant(eventsAt+uint64(i)), 1, class, Constant(1))
		t.did(h, textEvent{kind: "SEV", target: target})
	}
	return next
}

// wfe waits for the event register and clears it. That the monitor was cleared before are two operations: a read, and
// the write of the register.
func (t *textThread) wfe(h *Handle, next int) int {
	at, _ := t.p.event(t.number)
	t.waiting = textEvent{kind: "WFE"}
	h.WaitEvent(at, 1, func() {
		e := textEvent{kind: "CLEAR", at: t.monitor[0], size: uint8(t.monitor[1])}
		t.monitor = [2]uint64{}
		t.did(h, e)
		t.log[len(t.log)-1].op--
	})
	t.did(h, textEvent{kind: "WFE"})
	return next
}
