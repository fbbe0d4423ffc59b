package arm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// pair is two PEs that send each other events.
type pair struct {
	t      *testing.T
	engine *sim.Engine
	pes    [2]*arm.PE
	log    []string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{t: t, engine: sim.NewEngine()}
	memory, err := mem.New(mem.Spec{Base: 0x4000_0000, Size: 2 << 20, Places: make([]mem.Place, 2)},
		func(c int, at sim.Time) { p.pes[c].Wake(at) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.pes {
		p.pes[i] = arm.New(i, defaultSpec(), p.engine)
	}
	for _, pe := range p.pes {
		pe.Connect(memory, &bus.Map{}, nil, p.pes[:])
	}
	t.Cleanup(p.engine.Close)
	return p
}

func (p *pair) note(cpu int, what string) {
	p.log = append(p.log, fmt.Sprintf("%s CPU%d %s", p.pes[cpu].Now(), cpu, what))
}

// run runs both programs until nothing is pending, and compares the log.
func (p *pair) run(want []string, programs ...program) {
	p.t.Helper()
	for i, run := range programs {
		if err := p.pes[i].Start(run); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := p.engine.Drive(nil); err != nil {
		p.t.Fatal(err)
	}
	if !slices.Equal(p.log, want) {
		p.t.Errorf("got %q, want %q", p.log, want)
	}
}

// WFE sleeps until an event; an event that came before makes it return at once, and is used up by it. SEV reaches every
// PE, the sender included.
func TestWaitForEvent(t *testing.T) {
	p := newPair(t)
	p.run([]string{"500 ns CPU1 goes on", "1 us CPU0 goes on", "1 us CPU1 goes on"}, func() {
		p.pes[0].SendEvent()
		p.pes[0].Delay(1000 * ns)
		p.pes[0].SendEvent()
		p.pes[0].WaitForEvent()
		p.note(0, "goes on")
	}, func() {
		p.pes[1].Delay(500 * ns)
		p.pes[1].WaitForEvent()
		p.note(1, "goes on")
		p.pes[1].WaitForEvent()
		p.note(1, "goes on")
	})
}

// SEVL reaches the own PE only.
func TestSendLocalEvent(t *testing.T) {
	p := newPair(t)
	p.run([]string{"0 ps CPU0 goes on"}, func() {
		p.pes[0].SendLocalEvent()
		p.pes[0].WaitForEvent()
		p.note(0, "goes on")
	}, func() {
		p.pes[1].WaitForEvent()
		p.note(1, "goes on")
	})
	if d := p.engine.Deadlock(); len(d) != 1 || d[0] != p.pes[1].Proc() {
		t.Errorf("%v sleep on", d)
	}
}

// An exception return sets the event register and clears the exclusive monitor; a masked interrupt ends no WFE.
func TestExceptionReturn(t *testing.T) {
	p := newPair(t)
	pe := p.pes[0]
	pe.SetVector(vector(func() { pe.SetIRQ(false) }))
	p.run([]string{"100 ns CPU0 stored false", "100 ns CPU0 goes on"}, func() {
		pe.LoadExclusive(0x4000_0000, 8, bus.Plain)
		pe.MaskIRQ(true)
		pe.SetIRQ(true)
		pe.Delay(100 * ns)
		pe.MaskIRQ(false)
		p.note(0, fmt.Sprint("stored ", pe.StoreExclusive(0x4000_0000, 8, 1, bus.Plain)))
		pe.WaitForEvent()
		p.note(0, "goes on")
		pe.MaskIRQ(true)
		pe.SetIRQ(true)
		pe.WaitForEvent()
		p.note(0, "never goes on")
	})
}
