package explore

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/sim"
)

// Sets of objects are those of a map, on either side of the first word and across the table's growth; a table that was
// cloned numbers on by itself.
func TestObjectSets(t *testing.T) {
	var table objectTable
	const count = 1000
	for i := range count {
		if got := table.number(sim.Object(i)*0x9001 + 1); got != i {
			t.Fatalf("object %d has number %d", i, got)
		}
	}
	other := table.clone()
	if other.number(7) != count || table.number(8) != count || other.number(8) != count+1 {
		t.Error("a clone shares its numbers")
	}
	for a := range 200 {
		for b := range 200 {
			var f, g, h footprint
			f.reads.put(table.number(sim.Object(a)*0x9001 + 1))
			g.writes.put(table.number(sim.Object(b)*0x9001 + 1))
			if f.dependent(&g) != (a == b) || g.dependent(&f) != (a == b) || f.dependent(&f) {
				t.Fatalf("a read of object %d and a write of object %d: dependent %t", a, b, f.dependent(&g))
			}
			h.add(&f)
			h.add(&g)
			if !h.dependent(&g) || !g.dependent(&h) || h.dependent(&f) != (a == b) {
				t.Fatalf("objects %d and %d together are not what they are alone", a, b)
			}
		}
	}
}

// wide are programs whose first step touches many objects of their own: more than a word has bits.
type wide struct{ *counters }

func (w wide) Begin() {
	w.value = [2]int{}
	for _, p := range w.procs {
		p.Start(w, w.engine.Now())
	}
}

func (w wide) Run(p *sim.Proc) {
	id := 0
	for i := range w.procs {
		if w.procs[i] == p {
			id = i
		}
	}
	const own = 50
	first := sim.Object(1000 + own*id)
	p.Announce(sim.Footprint{Object: first, Write: true})
	for i := range sim.Object(own) {
		w.engine.Touch(first+i, true)
	}
	w.counters.Run(p)
}

// Objects beyond the 63rd are told apart: steps that touch nothing in common make no more executions than they do with
// few objects, and the outcomes are those of every order.
func TestManyObjects(t *testing.T) {
	explore := func(o Options, turns int) *Report {
		r, err := Explore(o, func() (Subject, error) { return wide{newCounters(3, turns)}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for turns := range 3 {
		r, few := explore(Options{}, turns), run(t, Options{}, 3, turns)
		if r.Executions != few.Executions || results(r) != results(few) {
			t.Errorf("%d turns: %d executions, %s; with few objects %d, %s", turns, r.Executions, results(r), few.Executions,
				results(few))
		}
		if turns == 2 {
			continue // too many for every order
		}
		if plain := explore(Options{Strategy: Plain}, turns); results(r) != results(plain) {
			t.Errorf("%d turns: %s, in every order %s", turns, results(r), results(plain))
		}
	}
}
