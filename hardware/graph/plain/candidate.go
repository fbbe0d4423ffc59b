package plain

import (
	"fmt"
	"slices"
)

// atom is a range of bytes that every access of the candidate covers whole or not at all. Two bytes of an atom never
// differ in a consistent execution: a read or write that tore an access would be both before and after it.
type atom struct{ cell, off, size int }

func (e *event) reads() bool { return e.kind == kindRead || e.kind == kindClear }

func (a atom) in(e *event) bool {
	return (e.reads() || e.kind == kindWrite) && e.cell == a.cell && e.off <= a.off &&
		a.off+a.size <= e.off+e.size
}

// of cuts an atom's bytes out of an access's value.
func (a atom) of(e *event) uint64 { return e.value >> (8 * (a.off - e.off)) & mask(a.size) }

// latch is what interrupts and events go through: a bit that setters set and a taker finds set and clears. It is the
// pending state of an interrupt of a thread, or with intid -1 the thread's event register.
type latch struct {
	thread, intid int
	order         []int // Invariant: a taker stands right behind a setter.
}

// source is one choice: which write an atom of a read comes from.
type source struct {
	read, atom, write int
}

// candidate is one candidate execution in the making.
type candidate struct {
	p      *Program
	model  Model
	traces []*trace
	events []event // Initial writes, then the threads'.
	start  []int   // Of each thread in events; one more for the end.
	po     relation
	atoms  []atom

	sources []source
	order   [][]int // By cell: its writes in coherence order, the initial one first.
	latches []latch

	deadlines [][]int // The orders in which those that pass may do so.

	local *relation    // The part of ordered-before that choices do not change.
	spend func() error // Counts a choice; an error ends the enumeration.
	visit func()
}

func newCandidate(p *Program, options Options, traces []*trace) (*candidate, error) {
	c := &candidate{p: p, model: options.Model, traces: traces}
	for i := range p.Cells {
		c.events = append(c.events, event{
			thread: none, index: i, kind: kindWrite, cell: i, size: cellBytes, value: p.Cells[i].Init, pair: none,
		})
	}
	for _, t := range traces {
		c.start = append(c.start, len(c.events))
		c.events = append(c.events, t.events...)
	}
	c.start = append(c.start, len(c.events))
	if len(c.events) > eventsMax {
		return nil, fmt.Errorf("%d events, at most %d", len(c.events), eventsMax)
	}
	for t := range traces {
		for i := c.start[t]; i < c.start[t+1]; i++ {
			for j := i + 1; j < c.start[t+1]; j++ {
				c.po.add(i, j)
			}
		}
	}
	c.findAtoms(options.bytes)
	for i := range c.events {
		for a := range c.atoms {
			if c.events[i].reads() && c.atoms[a].in(&c.events[i]) {
				c.sources = append(c.sources, source{read: i, atom: a})
			}
		}
	}
	c.order = make([][]int, len(p.Cells))
	c.findLatches()
	return c, nil
}

// findAtoms cuts each cell at the ends of all accesses.
func (c *candidate) findAtoms(bytes bool) {
	for cell := range c.p.Cells {
		cuts := [cellBytes + 1]bool{cellBytes: true}
		for i := range cuts {
			cuts[i] = cuts[i] || bytes
		}
		for i := range c.events {
			if e := &c.events[i]; (e.reads() || e.kind == kindWrite) && e.cell == cell {
				cuts[e.off], cuts[e.off+e.size] = true, true
			}
		}
		from := 0
		for to := 1; to <= cellBytes; to++ {
			if cuts[to] {
				c.atoms = append(c.atoms, atom{cell, from, to - from})
				from = to
			}
		}
	}
}

// findLatches lists the interrupts sent or taken, and the event registers of threads that wait for events.
func (c *candidate) findLatches() {
	for i := range c.events {
		e := &c.events[i]
		if e.kind != kindSGI && e.kind != kindTake && !e.ring {
			continue
		}
		known := slices.ContainsFunc(c.latches, func(r latch) bool {
			return r.thread == e.target && r.intid == e.intid
		})
		if !known {
			c.latches = append(c.latches, latch{thread: e.target, intid: e.intid})
		}
	}
	for t := range c.p.Threads {
		if c.p.Threads[t].waits() {
			c.latches = append(c.latches, latch{thread: t, intid: none})
		}
	}
}

// sets and takes say what an event does to a register. An exception return sets the event register (DDI 0487,
// Wait for Event).
func (r *latch) sets(e *event) bool {
	if r.intid == none {
		return e.kind == kindSEV && e.target == r.thread ||
			(e.kind == kindERET || e.kind == kindClear) && e.thread == r.thread
	}
	return (e.kind == kindSGI || e.ring) && e.target == r.thread && e.intid == r.intid
}

func (r *latch) takes(e *event) bool {
	if r.intid == none {
		return e.kind == kindWFE && e.thread == r.thread
	}
	return e.kind == kindTake && e.target == r.thread && e.intid == r.intid
}

// chooseSources gives each atom of each read a write of its value, then goes on to the orders.
func (c *candidate) chooseSources(i int) error {
	if i == len(c.sources) {
		return c.chooseOrder(0)
	}
	s := &c.sources[i]
	a := c.atoms[s.atom]
	for w := range c.events {
		e := &c.events[w]
		if e.kind == kindWrite && a.in(e) && a.of(e) == a.of(&c.events[s.read]) {
			s.write = w
			if err := c.chooseSources(i + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// chooseOrder puts the writes of a cell in every order. Writes that share no byte are ordered too, which the graph's
// text then forgets. The axioms that concern one cell alone are asked at once.
func (c *candidate) chooseOrder(cell int) error {
	if cell == len(c.p.Cells) {
		return c.chooseLatch(0)
	}
	var writes []int
	for i := len(c.p.Cells); i < len(c.events); i++ {
		if e := &c.events[i]; e.kind == kindWrite && e.cell == cell {
			writes = append(writes, i)
		}
	}
	return permute(writes, 0, func() error {
		c.order[cell] = append([]int{cell}, writes...)
		if err := c.spend(); err != nil {
			return err
		}
		if !c.internal(cell) || !c.atomicity(cell) || !c.cleared(cell) {
			return nil
		}
		return c.chooseOrder(cell + 1)
	})
}

// chooseLatch puts what sets and takes a register in every order in which a taker finds it set. An SGI may be overtaken
// by another of its thread, and comes late; an event register is set and cleared by its own thread in program order.
func (c *candidate) chooseLatch(i int) error {
	if i == len(c.latches) {
		c.visit()
		return nil
	}
	r := &c.latches[i]
	var members []int
	for e := range c.events {
		if r.sets(&c.events[e]) || r.takes(&c.events[e]) {
			members = append(members, e)
		}
	}
	return permute(members, 0, func() error {
		if err := c.spend(); err != nil {
			return err
		}
		for at, e := range members {
			if r.takes(&c.events[e]) && (at == 0 || !r.sets(&c.events[members[at-1]])) {
				return nil
			}
			for _, earlier := range members[:at] {
				if r.intid == none && c.po.has(e, earlier) {
					return nil
				}
			}
		}
		r.order = slices.Clone(members)
		return c.chooseLatch(i + 1)
	})
}

// permute calls visit with each order of items.
func permute(items []int, from int, visit func() error) error {
	if from == len(items) {
		return visit()
	}
	for i := from; i < len(items); i++ {
		items[from], items[i] = items[i], items[from]
		err := permute(items, from+1, visit)
		items[from], items[i] = items[i], items[from]
		if err != nil {
			return err
		}
	}
	return nil
}
