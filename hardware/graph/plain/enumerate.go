package plain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Model names a memory model.
type Model uint8

// The models: sequential consistency, total store order, Arm, RISC-V's.
const (
	SC Model = iota
	TSO
	Arm
	RVWMO
)

// Options of an enumeration.
type Options struct {
	Model         Model
	FailExclusive bool // A store exclusive may fail for no reason.
	Graphs        bool // Keep the text of each graph.
	CandidatesMax int  // Give up after so many choices of runs, orders and sources; 0: never.

	bytes bool // One atom for each byte: slower, the same graphs.
}

// Result is what the axioms allow.
type Result struct {
	Outcomes   []string // Sorted; see outcome.
	Hashes     []uint64 // One for each distinct consistent graph, sorted.
	Graphs     []string // Their texts, sorted, if asked for.
	Fine       []string // If asked for, their finer texts: see fine.
	Candidates int      // Choices made.
}

// roundsMax bounds the guessing of values: no program of this size needs so many writes in one chain.
const roundsMax = 24

// enumeration holds what Enumerate gathers.
type enumeration struct {
	p        *Program
	options  Options
	outcomes map[string]bool
	graphs   map[uint64]string
	fine     map[string]bool
	looked   int
}

// Enumerate lists the outcomes and graphs of a program. It fails on a program that is too big, never wrongly short.
func Enumerate(p *Program, options Options) (*Result, error) {
	if err := p.foreign(options.Model); err != nil {
		return nil, err
	}
	all, err := allRuns(p, &options)
	if err != nil {
		return nil, err
	}
	e := &enumeration{
		p: p, options: options, outcomes: map[string]bool{}, graphs: map[uint64]string{}, fine: map[string]bool{},
	}
	if err := e.combine(all, nil); err != nil {
		return nil, err
	}
	result := &Result{Candidates: e.looked}
	result.Outcomes = slices.Sorted(maps.Keys(e.outcomes))
	result.Hashes = slices.Sorted(maps.Keys(e.graphs))
	if options.Graphs {
		result.Graphs = slices.Sorted(maps.Values(e.graphs))
		result.Fine = slices.Sorted(maps.Keys(e.fine))
	}
	return result, nil
}

// allRuns guesses values until nothing new is written, or the chain of writes is as long as any execution's can be:
// each value of a consistent execution comes through a chain of different writes and interrupts.
func allRuns(p *Program, options *Options) ([][]*trace, error) {
	g := &guesses{}
	for round := 0; ; round++ {
		all := make([][]*trace, len(p.Threads))
		for t := range p.Threads {
			var err error
			if all[t], err = runs(p, t, g, options); err != nil {
				return nil, err
			}
		}
		next, links := gather(all)
		if round > links || slices.Equal(next.writes, g.writes) && slices.Equal(next.sends, g.sends) {
			return all, nil
		}
		if round == roundsMax {
			return nil, fmt.Errorf("values or interrupts without end")
		}
		g = next
	}
}

// gather collects what runs write and send, and the most writes and sends that one execution can have.
func gather(all [][]*trace) (g *guesses, links int) {
	g = &guesses{}
	for _, traces := range all {
		most := 0
		var times []sent // The most of any run of this thread.
		for _, t := range traces {
			n := 0
			var now []sent
			for i := range t.events {
				e := &t.events[i]
				switch {
				case e.kind == kindSGI || e.ring:
					now = count(now, sent{e.target, e.intid, 1})
					n++
				case e.kind == kindWrite:
					g.writes = append(g.writes, written{e.cell, e.off, e.size, e.value})
					n++
				}
			}
			most = max(most, n)
			for _, s := range now {
				known := (&guesses{sends: times}).times(s.thread, s.intid)
				times = count(times, sent{s.thread, s.intid, max(0, s.times-known)})
			}
		}
		links += most
		for _, s := range times {
			g.sends = count(g.sends, s)
		}
	}
	slices.SortFunc(g.writes, func(a, b written) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.off, b.off), cmp.Compare(a.size, b.size),
			cmp.Compare(a.value, b.value))
	})
	g.writes = slices.Compact(g.writes)
	slices.SortFunc(g.sends, func(a, b sent) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.intid, b.intid))
	})
	return g, links
}

// count adds to the times of one interrupt.
func count(sends []sent, more sent) []sent {
	for i := range sends {
		if sends[i].thread == more.thread && sends[i].intid == more.intid {
			sends[i].times += more.times
			return sends
		}
	}
	return append(sends, more)
}

// combine chooses a run for each thread.
func (e *enumeration) combine(all [][]*trace, chosen []*trace) error {
	if len(chosen) < len(all) {
		for _, t := range all[len(chosen)] {
			if err := e.combine(all, append(chosen, t)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := e.spend(); err != nil || !e.offered(chosen) {
		return err
	}
	c, err := newCandidate(e.p, e.options, chosen)
	if err != nil {
		return err
	}
	c.spend = e.spend
	c.visit = func() {
		if c.consistent() {
			text := c.text(false)
			e.outcomes[c.outcome()] = true
			if !e.options.Graphs {
				e.graphs[Hash(text)] = ""
			} else {
				e.graphs[Hash(text)] = text
				for _, text := range c.fine() {
					e.fine[text] = true
				}
			}
		}
	}
	return c.chooseSources(0)
}

// spend counts a choice.
func (e *enumeration) spend() error {
	if e.looked++; e.options.CandidatesMax > 0 && e.looked > e.options.CandidatesMax {
		return fmt.Errorf("more than %d candidates", e.options.CandidatesMax)
	}
	return nil
}

// offered reports whether each byte read is written by some chosen run, and each interrupt taken is sent by one. It
// only saves building candidates that chooseSources or chooseLatch would find no choice for.
func (e *enumeration) offered(chosen []*trace) bool {
	for _, t := range chosen {
		for i := range t.events {
			r := &t.events[i]
			switch r.kind {
			case kindRead:
				for b := range r.size {
					want := r.value >> (8 * b) & 0xff
					if e.p.Cells[r.cell].Init>>(8*(r.off+b))&0xff != want && !writes(chosen, r.cell, r.off+b, want) {
						return false
					}
				}
			case kindTake:
				if !sends(chosen, r.target, r.intid) {
					return false
				}
			}
		}
	}
	return true
}

func writes(chosen []*trace, cell, off int, want uint64) bool {
	for _, t := range chosen {
		for i := range t.events {
			w := &t.events[i]
			if w.kind == kindWrite && w.cell == cell && w.off <= off && off < w.off+w.size &&
				w.value>>(8*(off-w.off))&0xff == want {
				return true
			}
		}
	}
	return false
}

func sends(chosen []*trace, target, intid int) bool {
	for _, t := range chosen {
		for i := range t.events {
			if s := &t.events[i]; (s.kind == kindSGI || s.ring) && s.target == target && s.intid == intid {
				return true
			}
		}
	}
	return false
}
