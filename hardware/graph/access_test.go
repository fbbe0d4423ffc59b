package graph_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// Objects of the programs below.
const (
	objectA = 1<<62 + 8*iota
	objectB
)

// swapBoth exchanges the states of two objects at once, and answers both.
func swapBoth(states []uint64) uint64 {
	states[0], states[1] = states[1], states[0]
	return states[0] | states[1]<<8
}

// An access to several objects is one step to everybody: two that exchange two states never see half of one another.
func TestAccess(t *testing.T) {
	var seen []uint64
	exchange := Thread{Run: func(h *Handle) { h.Access([]uint64{objectA, objectB}, System, nil, swapBoth) }}
	look := Thread{Run: func(h *Handle) {
		v := h.Access([]uint64{objectB, objectA}, Sampled, nil, func(s []uint64) uint64 { return s[1] | s[0]<<8 })
		seen = append(seen, h.Branch(v))
	}}
	p := &Program{
		Threads: []Thread{exchange, exchange, look},
		Initial: func(at uint64, _ uint8) uint64 { return 1 + (at-objectA)/8 },
	}
	values := map[uint64]int{}
	p.Begin = func() { clear(values) }
	p.End = func(e *Execution) Verdict {
		values[seen[len(seen)-1]]++
		if e.Final(objectA, 8) != 1 || e.Final(objectB, 8) != 2 {
			return Verdict{Finding: "half an exchange"}
		}
		return Verdict{}
	}
	r, err := Explore(p, &Arm, Options{})
	if err != nil || r.Failure != nil {
		t.Fatal(err, r)
	}
	// two orders of the exchanges, and three places to look
	if r.Executions != 6 || len(values) != 2 || values[0x201] != 4 || values[0x102] != 2 {
		t.Errorf("%d executions, saw %v", r.Executions, values)
	}
}

// Two accesses to several objects that leave a common one as it is have no order.
func TestAccessUnchanged(t *testing.T) {
	own := func(object uint64) Thread {
		return Thread{Run: func(h *Handle) {
			h.Access([]uint64{object, objectB + 8}, System, nil, func(s []uint64) uint64 {
				s[0]++
				return 0
			})
		}}
	}
	r, err := Explore(&Program{
		Threads: []Thread{own(objectA), own(objectB)}, Initial: func(uint64, uint8) uint64 { return 0 },
	}, &Arm, Options{})
	if err != nil || r.Executions != 1 {
		t.Errorf("%v, %v", r, err)
	}
}

// An access that needs a state comes when the object is in that, whatever stands behind it comes first; if it never is,
// nothing has been explored.
func TestAccessReady(t *testing.T) {
	ready := func(v uint64) bool { return v == 1 }
	late := Thread{Run: func(h *Handle) {
		h.Access([]uint64{objectA}, Write|Device|Early, ready, func(s []uint64) uint64 {
			s[0] = 2
			return 0
		})
		h.Write(Constant(0x1000), 8, Write, Constant(1))
	}}
	maker := Thread{Run: func(h *Handle) {
		h.Wait(Constant(0x1000), 8, Read, func(v uint64) bool { return v == 1 }, false)
		h.Update(Constant(objectA), 8, System, System|Derived, func(uint64) (uint64, uint64, bool) { return 1, 0, true })
	}}
	p := &Program{Initial: func(uint64, uint8) uint64 { return 0 }, Threads: []Thread{late, maker}}
	p.End = func(e *Execution) Verdict { return Verdict{Outcome: e.Final(objectA, 8)} }
	r, err := Explore(p, &Arm, Options{})
	if err != nil || r.Executions != 1 || !slices.Equal(r.Outcomes, []OutcomeCount{{Outcome: 2, Count: 1}}) {
		t.Errorf("%+v, %v", r, err)
	}
	p.Threads = []Thread{late}
	_, err = Explore(p, &Arm, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "no execution comes to an end") {
		t.Errorf("an access that is never made: %v", err)
	}
}

// What hardware does by itself comes some time after its cause, masked or not, once.
func TestSilentLine(t *testing.T) {
	fired := 0
	p := &Program{Initial: func(uint64, uint8) uint64 { return 0 }}
	p.Threads = []Thread{{
		Lines: []Line{{
			Object: objectA, Silent: true, Level: true, Raised: func(v uint64) bool { return v == 1 },
			Handler: func(h *Handle) {
				fired++
				h.Write(Constant(objectA), 8, System, Constant(2))
			},
		}},
		Run: func(h *Handle) {
			fired = 0
			h.SetMasked(true)
			h.Write(Constant(objectA), 8, System, Constant(1))
			h.Write(Constant(0x1000), 8, Write, Constant(1))
			h.Write(Constant(0x1008), 8, Write, Constant(1))
		},
	}}
	p.End = func(*Execution) Verdict { return Verdict{Outcome: uint64(fired)} }
	r, err := Explore(p, &Arm, Options{})
	if err != nil || r.Executions != 3 || !slices.Equal(r.Outcomes, []OutcomeCount{{Outcome: 1, Count: 3}}) {
		t.Errorf("%+v, %v", r, err)
	}
}
