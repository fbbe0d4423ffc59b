package graph_test

import (
	"errors"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// hidden is what a load has read, for a program that does not say that it looks at it.
func hidden(v Value) uint64 { return v.Bits }

// undeclared are programs of two threads that depend on loads and do not say so. The first ones lose executions by
// that, with no sign of it but what they do.
var undeclared = []struct {
	name      string
	zero, one func(h *Handle)
}{
	{"whether there is a store", func(h *Handle) {
		if v := hidden(h.Read(at(0), 8, Read)); v == 1 {
			h.Write(at(1), 8, Write, Constant(1))
		}
	}, func(h *Handle) {
		h.Read(at(1), 8, Read)
		h.Write(at(0), 8, Write, Constant(1))
	}},
	{"which store there is", func(h *Handle) {
		v := hidden(h.Read(at(0), 8, Read))
		h.Write(at(1+v), 8, Write, Constant(1))
	}, func(h *Handle) {
		h.Read(at(2), 8, Read)
		h.Write(at(0), 8, Write, Constant(1))
	}},
	{"what is stored", func(h *Handle) {
		v := hidden(h.Read(at(0), 8, Read))
		h.Write(at(1), 8, Write, Constant(v))
	}, func(h *Handle) {
		h.Read(at(1), 8, Read)
		h.Write(at(0), 8, Write, Constant(1))
	}},
	{"which barrier there is", func(h *Handle) {
		if hidden(h.Read(at(0), 8, Read)) == 1 {
			h.Fence(fence("dmb", "sy"))
		} else {
			h.Fence(fence("dmb", "st"))
		}
	}, func(h *Handle) {
		h.Write(at(0), 8, Write, Constant(1))
	}},
	{"what is added", func(h *Handle) {
		v := hidden(h.Read(at(0), 8, Read))
		h.Update(at(1), 8, Read, Write|Atomic|Derived, func(old uint64) (uint64, uint64, bool) {
			return old + v, old, true
		}, Constant(v))
	}, func(h *Handle) {
		h.Write(at(0), 8, Write, Constant(1))
	}},
	{"what is expected", func(h *Handle) {
		v := hidden(h.Read(at(0), 8, Read))
		h.CompareAndSwap(at(1), 8, Read, Write|Atomic, Constant(v), Constant(5))
	}, func(h *Handle) {
		h.Write(at(0), 8, Write, Constant(1))
	}},
	{"a data dependency that is a decision, too", func(h *Handle) {
		v := h.Read(at(0), 8, Read)
		if hidden(v) == 1 {
			h.Write(at(1), 8, Write, v)
		}
	}, func(h *Handle) {
		h.Read(at(1), 8, Read)
		h.Write(at(0), 8, Write, Constant(1))
	}},
}

// A thread that does something else of the same declared values ends the exploration.
func TestUndeclared(t *testing.T) {
	for _, c := range undeclared {
		p := &Program{
			Threads: []Thread{{Run: c.zero}, {Run: c.one}}, Initial: func(uint64, uint8) uint64 { return 0 },
		}
		r, err := Explore(p, &Arm, Options{})
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.Thread != 0 || changed.Operation != 1 {
			t.Errorf("%s: expected an error of thread 0, got %v, %+v", c.name, err, r)
		}
	}
}

// Two parts of an exploration may hold one half each of what shows that a thread depends on a load.
func TestUndeclaredApart(t *testing.T) {
	program := func() *Program {
		race := Thread{Run: func(h *Handle) {
			for range 3 {
				h.Write(at(5), 8, Write, Constant(uint64(h.Done())))
				h.Read(at(5), 8, Read)
			}
		}}
		return &Program{Initial: func(uint64, uint8) uint64 { return 0 }, Threads: []Thread{
			{Run: func(h *Handle) {
				x := h.Branch(h.Read(at(0), 8, Read))
				y := hidden(h.Read(at(1), 8, Read))
				h.Wait(at(2), 8, Read, func(v uint64) bool { return v == 1 }, false)
				if x == 1 && y == 1 {
					h.Write(at(3), 8, Write, Constant(1))
				}
			}},
			{Run: func(h *Handle) {
				for i := range uint64(2) {
					h.Write(at(i), 8, Write, Constant(1))
				}
				race.Run(h)
				h.Write(at(2), 8, Write, Constant(1))
			}},
			race,
		}}
	}
	// Two plans, as hosts have them that carry out tasks for one another, add the same results.
	plans := [2]*Plan{NewPlan(Options{}).Hurry(1), NewPlan(Options{}).Hurry(1)}
	programs := [2]*Program{program(), program()}
	for tasks := plans[0].Tasks(); len(tasks) > 0; tasks = plans[0].Tasks() {
		results := make([]*Result, len(tasks))
		for i := range tasks {
			results[i] = plans[i%2].Tasks()[i].Run(programs[i%2], &Arm, Options{})
		}
		plans[0].Add(results)
		plans[1].Add(results)
	}
	for i, plan := range plans {
		_, err := plan.Report()
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.Thread != 0 || changed.Operation != 3 || len(plan.Tasks()) > 0 {
			t.Errorf("plan %d: expected an error of thread 0, got %v", i, err)
		}
	}
}
