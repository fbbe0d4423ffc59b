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
	memory, err := mem.New(mem.Spec{
		Base: 0x4000_0000, Size: 2 << 20, Places: make([]mem.Place, 2),
		Latency: [mem.Parts]sim.Spread{mem.ClusterHandOff: sim.Fixed(40 * ns)},
	}, func(c int, at sim.Time) { p.pes[c].Wake(at) })
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

// A write by another PE clears the exclusive monitor when it drains, and that is an event, once.
//
//	CPU0  LDAXR ── WFE ············ goes on ── WFE ···
//	CPU1           500 store ── 540 drains
func TestMonitorEvent(t *testing.T) {
	const lock, other = 0x4000_0000, 0x4000_1000
	for _, k := range []struct {
		name     string
		sleeper  func(pe *arm.PE) // between LDAXR and WFE
		other    func(pe *arm.PE)
		want     []string // what CPU0 does; it waits twice
		deadlock bool
	}{
		{"store", nil, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.Store(lock+8, 8, 1, bus.Plain)
		}, []string{"540 ns CPU0 goes on"}, true},
		{"before WFE", func(pe *arm.PE) { pe.Delay(1000 * ns) }, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.Store(lock, 8, 1, bus.Plain)
		}, []string{"1 us CPU0 goes on"}, true},
		{"in flight", func(pe *arm.PE) { pe.Delay(510 * ns) }, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.Store(lock, 8, 1, bus.Plain)
		}, []string{"540 ns CPU0 goes on"}, true},
		{"other line", nil, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.Store(other, 8, 1, bus.Plain)
		}, nil, true},
		{"CLREX", func(pe *arm.PE) { pe.ClearExclusive() }, func(pe *arm.PE) { pe.Store(lock, 8, 1, bus.Plain) }, nil, true},
		{"SEV, then a store", nil, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.SendEvent()
			pe.Delay(500 * ns)
			pe.Store(lock, 8, 1, bus.Plain)
		}, []string{"500 ns CPU0 goes on", "1.04 us CPU0 goes on"}, false},
		{"a store, and SEV before it drains", nil, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.Store(lock, 8, 1, bus.Plain)
			pe.Delay(10 * ns)
			pe.SendEvent()
		}, []string{"510 ns CPU0 goes on", "540 ns CPU0 goes on"}, false},
		{"both before WFE are one event", func(pe *arm.PE) { pe.Delay(1000 * ns) }, func(pe *arm.PE) {
			pe.Store(lock, 8, 1, bus.Plain)
			pe.Delay(500 * ns)
			pe.SendEvent()
		}, []string{"1 us CPU0 goes on"}, true},
		{"two atomics", nil, func(pe *arm.PE) {
			pe.Delay(500 * ns)
			pe.Atomic(lock, 8, bus.CompareAndSwap, 1, 99, bus.Plain) // writes nothing
			pe.Delay(500 * ns)
			pe.Atomic(lock, 8, bus.CompareAndSwap, 1, 0, bus.Plain)
		}, []string{"1.04 us CPU0 goes on"}, true},
	} {
		t.Run(k.name, func(t *testing.T) {
			p := newPair(t)
			p.run(k.want, func() {
				p.pes[0].LoadExclusive(lock, 8, bus.Acquire)
				if k.sleeper != nil {
					k.sleeper(p.pes[0])
				}
				for range 2 {
					p.pes[0].WaitForEvent()
					p.note(0, "goes on")
				}
			}, func() { k.other(p.pes[1]) })
			if d := p.engine.Deadlock(); (len(d) == 1) != k.deadlock {
				t.Errorf("%v sleep on", d)
			}
		})
	}
}

// The monitor of a load that saw an old copy is cleared by the write that it did not see.
func TestMonitorOfAnOldCopy(t *testing.T) {
	const lock = 0x4000_0000
	p := newPair(t)
	p.run([]string{"520 ns CPU0 read 0", "540 ns CPU0 goes on", "580 ns CPU0 read 1"}, func() {
		p.pes[0].Load(lock, 8, bus.Plain)
		p.pes[0].Delay(520 * ns)
		v := p.pes[0].LoadExclusive(lock, 8, bus.Acquire)
		p.note(0, fmt.Sprint("read ", v))
		p.pes[0].WaitForEvent()
		p.note(0, "goes on")
		v = p.pes[0].LoadExclusive(lock, 8, bus.Acquire)
		p.note(0, fmt.Sprint("read ", v))
	}, func() {
		p.pes[1].Delay(500 * ns)
		p.pes[1].Store(lock, 8, 1, bus.Plain)
	})
}

// What a DSB has completed before a SEV is seen after the wake-up.
func TestEventAfterBarrier(t *testing.T) {
	const data = 0x4000_0000
	p := newPair(t)
	p.run([]string{"540 ns CPU0 goes on", "580 ns CPU0 read 1"}, func() {
		p.pes[0].Load(data, 8, bus.Plain)
		p.pes[0].WaitForEvent()
		p.note(0, "goes on")
		v := p.pes[0].Load(data, 8, bus.Plain)
		p.note(0, fmt.Sprint("read ", v))
	}, func() {
		p.pes[1].Delay(500 * ns)
		p.pes[1].Store(data, 8, 1, bus.Plain)
		p.pes[1].Fence(arm.DSBISHST)
		p.pes[1].SendEvent()
	})
}
