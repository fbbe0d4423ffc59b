package graph_test

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// This file knows the axioms and nothing of the explorer: it shares no type with it, and reads the text of a program
// itself. Every way in which reads can read, writes can be ordered, interrupts be taken, conditional writes succeed
// and waits end is tried, and kept if the axioms hold, which axiomrelations_test.go writes over relations, as in
// aarch64.cat.
//
// An event is named by thread and place: 1.3 is the fourth operation of thread 1, 1.3' the write of an atomic there.

// command is an instruction of a program, with the dependencies on the thread's latest read that stand before it.
type command struct {
	op               string
	args             []string
	addr, data, ctrl bool
}

// turn is a command with how it turns out.
type turn struct {
	command
	fails bool // a CAS, a store-exclusive
	hung  bool // a wait that never ends: the thread stands
	late  bool // a wait that its deadline ends
}

// happening is an event of a candidate execution.
type happening struct {
	name             string
	thread, place    int
	reads, writes    bool // an object
	r, w             bool // the class R or W
	a, q, l          bool // acquire, acquirePC, release
	amo, dev, sys    bool
	take, late, hung bool
	mrs              bool
	wait, eret       bool
	fence            string
	cells            []string
	value            uint64 // written; added; waited for
	adds             bool   // the value is added to what the other half has read
	must, mustNot    int    // of a read: the value that it must, or must not, have; -1 none
	other            int    // half of an atomic or an exclusive pair, -1
	addr, data, ctrl []int
}

// world is a program with its choices so far.
type world struct {
	model             string
	threads, handlers [][]command
	split             map[string]bool // locations that are also accessed in halves
	failures          int             // most store-exclusives that fail without a reason
	tried, most       int
	keys              map[string]bool

	events []happening
	lob    matrix
	rf     [][]int // by event and its cells: the write, -1 the initial value
	co     map[string][]int
	late   []int // expired waits in the order in which their deadlines pass
}

// enumerate answers the names of all executions, or false if there are too many candidates.
func enumerate(program, model string, most, failures int) (map[string]bool, bool) {
	w := &world{model: model, keys: map[string]bool{}, most: most, failures: failures, split: map[string]bool{}}
	for _, text := range strings.Split(program, "|") {
		main, handler, _ := strings.Cut(text, "!")
		w.threads = append(w.threads, commands(main))
		w.handlers = append(w.handlers, commands(handler))
	}
	for _, list := range slices.Concat(w.threads, w.handlers) {
		for _, c := range list {
			if len(c.args) > 0 && len(c.args[0]) == 2 && strings.ContainsAny(c.args[0], "04") {
				w.split[c.args[0][:1]] = true
			}
		}
	}
	w.choose(nil)
	return w.keys, w.tried <= w.most
}

func commands(text string) (list []command) {
	c := command{}
	for _, part := range strings.Split(text, ";") {
		f := strings.Fields(part)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "addr":
			c.addr = true
		case "data":
			c.data = true
		case "ctrl":
			c.ctrl = true
		default:
			c.op, c.args = f[0], f[1:]
			list = append(list, c)
			c = command{}
		}
	}
	return list
}

// choose picks how each thread turns out.
func (w *world) choose(chosen [][]turn) {
	t := len(chosen)
	if t == len(w.threads) {
		w.build(chosen)
		return
	}
	signals := 0
	for _, c := range slices.Concat(slices.Concat(w.threads...), slices.Concat(w.handlers...)) {
		if c.op == "msr" && c.args[0] == strconv.Itoa(t) && len(w.handlers[t]) > 0 {
			signals++ // but a handler runs more than once if it is interrupted again
		}
	}
	w.unfold(t, w.threads[t], nil, signals, func(turns []turn) { w.choose(append(slices.Clone(chosen), turns)) })
}

// unfold goes through what is left of a thread, in which some interrupts may still be taken.
func (w *world) unfold(t int, rest []command, done []turn, takes int, do func([]turn)) {
	if w.tried > w.most {
		return
	}
	if takes > 0 {
		begun := append(slices.Clone(done), turn{command: command{op: "take"}})
		w.through(w.handlers[t], begun, func(turns []turn, stuck bool) {
			if stuck {
				do(turns)
				return
			}
			w.unfold(t, rest, append(slices.Clone(turns), turn{command: command{op: "eret"}}), takes-1, do)
		})
	}
	if len(rest) == 0 {
		do(done)
		return
	}
	w.through(rest[:1], done, func(turns []turn, stuck bool) {
		if stuck {
			do(turns)
			return
		}
		w.unfold(t, rest[1:], turns, takes, do)
	})
}

// through executes commands in every way, without interrupts.
func (w *world) through(rest []command, done []turn, do func(turns []turn, stuck bool)) {
	if len(rest) == 0 {
		do(done, false)
		return
	}
	c := turn{command: rest[0]}
	next := func(c turn) { w.through(rest[1:], append(slices.Clone(done), c), do) }
	next(c)
	switch {
	case strings.HasPrefix(c.op, "CAS"), strings.HasPrefix(c.op, "ST"):
		c.fails = true
		next(c)
	case strings.HasPrefix(c.op, "wait"):
		if c.op == "waitt" {
			c.late = true
			next(c)
			return
		}
		c.hung = true
		do(append(slices.Clone(done), c), true)
	}
}

// build makes the events of all threads, and tries every order of deadlines, writes and reads.
func (w *world) build(threads [][]turn) {
	w.events = nil
	failures := 0
	for t, turns := range threads {
		n, ok := w.thread(t, turns)
		if failures += n; !ok || failures > w.failures {
			return
		}
	}
	w.tried++
	w.lob = w.local()
	var late []int
	for i := range w.events {
		if w.events[i].late {
			late = append(late, i)
		}
	}
	permutations(late, func(order []int) {
		w.late, w.rf, w.co = order, make([][]int, len(w.events)), map[string][]int{}
		for i := range w.events {
			w.rf[i] = make([]int, len(w.events[i].cells))
		}
		w.orders(w.cells(), 0)
	})
}

// reading is where a thread stands: its latest read, and what its branches depend on.
type reading struct {
	last, monitor int
	ctrl          []int
	waited        int // the wait before, on which what follows depends, -1 if none
}

// thread makes the events of one thread. It answers how many store-exclusives fail without a reason, and false if one
// succeeds without a monitor.
func (w *world) thread(t int, turns []turn) (failures int, ok bool) {
	s := reading{last: -1, monitor: -1, waited: -1}
	outer := s
	for place, c := range turns {
		e := happening{
			name: fmt.Sprintf("%d.%d", t, place), thread: t, place: place, other: -1, must: -1, mustNot: -1,
			late: c.late, hung: c.hung, cells: w.cellsOf(c.args),
		}
		if s.waited >= 0 && c.op != "take" {
			s.ctrl, s.waited = append(slices.Clone(s.ctrl), s.waited), -1
		}
		if s.last >= 0 && c.ctrl {
			s.ctrl = append(slices.Clone(s.ctrl), s.last)
		}
		if s.last >= 0 && c.addr {
			e.addr = []int{s.last}
		}
		if s.last >= 0 && c.data {
			e.data = []int{s.last}
		}
		e.ctrl = s.ctrl
		if len(c.args) > 1 {
			e.value, _ = strconv.ParseUint(c.args[1], 10, 64)
		}
		n := len(w.events)
		switch {
		case c.op == "take":
			w.take(e)
			outer = s
			s = reading{last: -1, monitor: -1, waited: -1, ctrl: s.ctrl}
		case c.op == "eret":
			e.fence, e.eret = "isb", true
			s.last, s.waited = outer.last, outer.waited
			w.events = append(w.events, e)
		case strings.HasPrefix(c.op, "ST"):
			if s.monitor < 0 && !c.fails {
				return 0, false
			}
			if c.fails {
				if s.monitor >= 0 {
					failures++
				}
				s.monitor = -1
				continue
			}
			e.writes, e.w, e.l, e.other = true, true, c.op == "STLXR", s.monitor
			w.events[s.monitor].other = n
			w.events, s.monitor = append(w.events, e), -1
		default:
			w.simple(e, c)
			if w.events[n].r || w.events[n].mrs {
				s.last = n
			}
			if strings.HasPrefix(c.op, "LD") {
				s.monitor = n
			}
			if strings.HasPrefix(c.op, "wait") {
				s.waited = n
			}
		}
	}
	return failures, true
}

func (w *world) cellsOf(args []string) []string {
	switch {
	case len(args) == 0:
		return nil
	case w.split[args[0]]:
		return []string{args[0] + "0", args[0] + "4"}
	}
	return args[:1]
}

// take is the taking of an interrupt: what is pending is 1, and becomes 0.
func (w *world) take(e happening) {
	n := len(w.events)
	e.reads, e.take, e.must, e.other, e.cells = true, true, 1, n+1, []string{fmt.Sprint("irq", e.thread)}
	h := e
	h.name, h.reads, h.take, h.must, h.writes, h.sys, h.other = e.name+"'", false, false, -1, true, true, n
	w.events = append(w.events, e, h)
}

// simple makes the events of a command that does not depend on where its thread stands.
func (w *world) simple(e happening, c turn) {
	n := len(w.events)
	h := e // the second half
	h.name, h.writes, h.other = e.name+"'", true, n
	switch op := c.op; {
	case op == "dmb" || op == "dsb" || op == "isb":
		e.fence, e.cells = strings.Join(append([]string{op}, c.args...), " "), nil
		e.addr, e.data = nil, nil
	case op == "msr":
		e.writes, e.sys, e.value, e.cells = true, true, 1, []string{"irq" + c.args[0]}
	case op == "mrs":
		e.reads, e.mrs, e.cells = true, true, []string{"irq" + c.args[0]}
	case op == "W" || op == "L":
		e.writes, e.w, e.l = true, true, op == "L"
	case op == "D" || op == "E": // a device, whose write and whose read change it
		e.reads, e.dev, h.dev, e.r, h.w, h.adds, e.other = true, true, true, op == "E", op == "D", op == "E", n+1
		if op == "E" {
			h.value, e.data, h.data = 1, nil, nil
		}
		w.events = append(w.events, e, h)
		return
	case strings.HasPrefix(op, "ADD"), strings.HasPrefix(op, "CAS"), strings.HasPrefix(op, "SWP"):
		e.reads, e.r, e.amo, h.amo, e.a = true, true, true, true, strings.Contains(op[3:], "A")
		h.w, h.l, h.adds, e.other = true, strings.Contains(op[3:], "L"), op[:3] == "ADD", n+1
		if op[:3] == "CAS" {
			e.must = int(e.value)
			h.value, _ = strconv.ParseUint(c.args[2], 10, 64)
		}
		if c.fails {
			e.must, e.mustNot, e.other = -1, e.must, -1
			break
		}
		w.events = append(w.events, e, h)
		return
	default: // R A Q P LDXR LDAXR wait waitt
		e.data = nil
		e.reads, e.r, e.a, e.q, e.dev = true, true, op == "A" || op == "LDAXR", op == "Q", op == "P"
		e.wait = op[0] == 'w'
		if e.wait && e.late {
			e.mustNot = int(e.value)
		} else if e.wait {
			e.must = int(e.value)
		}
	}
	w.events = append(w.events, e)
}

func (w *world) cells() (list []string) {
	for i := range w.events {
		for _, c := range w.events[i].cells {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	sort.Strings(list)
	return list
}

func permutations(list []int, do func([]int)) {
	if len(list) == 0 {
		do(nil)
		return
	}
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		permutations(rest, func(tail []int) { do(append([]int{list[i]}, tail...)) })
	}
}

// orders chooses the order of the writes of each cell. Those of one thread are in its order.
func (w *world) orders(cells []string, k int) {
	if k == len(cells) {
		w.sources(0, 0)
		return
	}
	var list []int
	for i := range w.events {
		if w.events[i].writes && slices.Contains(w.events[i].cells, cells[k]) {
			list = append(list, i)
		}
	}
	w.merge(list, nil, func(order []int) {
		w.co[cells[k]] = order
		w.orders(cells, k+1)
	})
}

// merge makes every order of events that agrees with program order.
func (w *world) merge(rest, order []int, do func([]int)) {
	if w.tried > w.most {
		return
	}
	if len(rest) == 0 {
		w.tried++
		do(order)
		return
	}
	var threads []int
	for i, e := range rest {
		if t := w.events[e].thread; !slices.Contains(threads, t) {
			threads = append(threads, t)
			w.merge(slices.Delete(slices.Clone(rest), i, i+1), append(slices.Clone(order), e), do)
		}
	}
}

// from is what an event reads at a cell.
func (w *world) from(i int, cell string) int { return w.rf[i][slices.Index(w.events[i].cells, cell)] }

// sources chooses what each read reads.
func (w *world) sources(i, c int) {
	for i < len(w.events) && (!w.events[i].reads || w.events[i].hung || c == len(w.events[i].cells)) {
		i, c = i+1, 0
	}
	if w.tried > w.most {
		return
	}
	if i == len(w.events) {
		w.tried++
		if w.holds() {
			w.keys[w.key()] = true
		}
		return
	}
	cell := w.events[i].cells[c]
	for _, from := range append([]int{-1}, w.co[cell]...) {
		w.rf[i][c] = from
		w.sources(i, c+1)
	}
}

// key names a candidate.
func (w *world) key() string {
	var list []string
	name := func(i int) string {
		if i < 0 {
			return "init"
		}
		return w.events[i].name
	}
	for i := range w.events {
		e := &w.events[i]
		for _, c := range e.cells {
			switch {
			case e.hung:
				list = append(list, e.name+" "+c+" hangs")
			case e.reads:
				list = append(list, e.name+" "+c+" reads "+name(w.from(i, c)))
			}
		}
	}
	for c, order := range w.co {
		text := c + ":"
		for _, i := range order {
			text += " " + name(i)
		}
		list = append(list, text)
	}
	sort.Strings(list)
	for _, i := range w.late {
		list = append(list, "expired "+w.events[i].name)
	}
	return strings.Join(list, "\n")
}
