package aclint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

const ns = sim.Nanosecond

// recorder notes what arrives at a hart.
type recorder struct {
	engine *sim.Engine
	log    *strings.Builder
	id     int
}

func (r *recorder) SetLine(pending uint64, level bool) {
	fmt.Fprintf(r.log, "%s hart %d: 0x%x %v\n", r.engine.Now(), r.id, pending, level)
}

func (r *recorder) SetPending(pending uint64) {
	fmt.Fprintf(r.log, "%s hart %d: 0x%x pulse\n", r.engine.Now(), r.id, pending)
}

type bench struct {
	*Device
	t      *testing.T
	engine *sim.Engine
	log    strings.Builder
}

// newBench has harts 1, 2 and 4.
func newBench(t *testing.T, k Kind) *bench {
	b := &bench{t: t, engine: sim.NewEngine()}
	harts := make([]Hart, 5)
	for _, id := range []int{1, 2, 4} {
		harts[id] = &recorder{b.engine, &b.log, id}
	}
	d, err := New(Spec{Kind: k, Freq: 10 * sim.Megahertz, Wire: 7 * ns}, b.engine, harts)
	if err != nil {
		t.Fatal(err)
	}
	b.Device = d
	t.Cleanup(b.engine.Close)
	return b
}

func (b *bench) write(off uint64, w bus.Width, v uint64) {
	b.t.Helper()
	if !b.WriteReg(off, w, v) {
		b.t.Errorf("no register at 0x%x of %d bytes", off, w)
	}
}

func (b *bench) reads(off uint64, w bus.Width, want uint64) {
	b.t.Helper()
	if v, ok := b.ReadReg(off, w); !ok || v != want {
		b.t.Errorf("0x%x reads 0x%x, %v: want 0x%x", off, v, ok, want)
	}
}

// logged runs until nothing is pending, and checks what has arrived.
func (b *bench) logged(want ...string) {
	b.t.Helper()
	if err := b.engine.Drive(nil); err != nil {
		b.t.Fatal(err)
	}
	if got := strings.TrimSuffix(b.log.String(), "\n"); got != strings.Join(want, "\n") {
		b.t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	b.log.Reset()
}

// A register belongs to the hart of its id: hart 2 is not the second that there is, and hart 3 is none.
func TestSoftwareInterrupts(t *testing.T) {
	for _, k := range []Kind{CLINT, THeadCLINT, MSWI} {
		b := newBench(t, k)
		b.write(rv.CLINT_MSIP+4*2, bus.W32, 0xffff_ffff)
		b.write(rv.CLINT_MSIP+4*3, bus.W32, 1)
		b.write(rv.CLINT_MSIP+4*4094, bus.W32, 1)
		b.reads(rv.CLINT_MSIP+4*2, bus.W32, 1)
		b.reads(rv.CLINT_MSIP+4*3, bus.W32, 0)
		b.logged("7 ns hart 2: 0x8 true")
		b.write(rv.CLINT_MSIP+4*2, bus.W32, 0xfffe)
		b.logged("14 ns hart 2: 0x8 false")
	}
	b := newBench(t, MSWI)
	if _, ok := b.ReadReg(rv.CLINT_MTIME, bus.W64); ok {
		t.Error("an MSWI has a timer")
	}
}

// SSWI pulses a bit that software clears; T-Head's register is a level.
func TestSupervisorInterrupts(t *testing.T) {
	b := newBench(t, SSWI)
	b.write(rv.SSWI_SETSSIP+4*1, bus.W32, 1)
	b.write(rv.SSWI_SETSSIP+4*1, bus.W32, 0)
	b.reads(rv.SSWI_SETSSIP+4*1, bus.W32, 0)
	b.logged("7 ns hart 1: 0x2 pulse")
	b = newBench(t, THeadCLINT)
	b.write(rv.CLINT_SSIP+4*1, bus.W32, 1)
	b.reads(rv.CLINT_SSIP+4*1, bus.W32, 1)
	b.logged("7 ns hart 1: 0x2 true")
	b.write(rv.CLINT_SSIP+4*1, bus.W32, 0)
	b.logged("14 ns hart 1: 0x2 false")
}

// The line of a timer is high while mtime has reached its compare register, whose halves can be written alone.
func TestTimers(t *testing.T) {
	b := newBench(t, CLINT)
	b.write(rv.CLINT_MTIMECMP+8*4, bus.W64, 100)
	b.reads(rv.CLINT_MTIMECMP+8*4, bus.W64, 100)
	b.reads(rv.CLINT_MTIMECMP+8*1+4, bus.W32, 0xffff_ffff)
	b.logged("10.007 us hart 4: 0x80 true")
	b.reads(rv.CLINT_MTIME, bus.W64, 100)
	b.write(rv.CLINT_MTIMECMP+8*4+4, bus.W32, 1)
	b.logged("10.014 us hart 4: 0x80 false", "429.496739607 s hart 4: 0x80 true") // the high half counts 429 s
	b.write(rv.CLINT_MTIME, bus.W64, 1<<32|90)
	b.logged("429.496739614 s hart 4: 0x80 false", "429.496740607 s hart 4: 0x80 true")
	b.write(rv.CLINT_MTIME, bus.W64, 0)
	b.write(rv.CLINT_MTIMECMP+8*4, bus.W64, ^uint64(0))
	b.logged("429.496740614 s hart 4: 0x80 false")
	b = newBench(t, THeadCLINT)
	b.write(rv.CLINT_STIMECMP+8*1, bus.W32, 20)
	b.write(rv.CLINT_STIMECMP+8*1+4, bus.W32, 0)
	b.logged("2.007 us hart 1: 0x20 true")
}

func TestCheckpoint(t *testing.T) {
	b := newBench(t, CLINT)
	b.write(rv.CLINT_MSIP+4*1, bus.W32, 1)
	b.logged("7 ns hart 1: 0x8 true")
	b.write(rv.CLINT_MTIMECMP+8*1, bus.W64, 10)
	saved := b.Save()
	b.write(rv.CLINT_MSIP+4*1, bus.W32, 0)
	b.logged("14 ns hart 1: 0x8 false")
	b.Restore(saved)
	b.reads(rv.CLINT_MSIP+4*1, bus.W32, 1)
	b.logged("1.007 us hart 1: 0x80 true")
}

func TestRefusals(t *testing.T) {
	for _, s := range []Spec{{Kind: CLINT}, {Kind: MSWI, Wire: -1}} {
		if _, err := New(s, sim.NewEngine(), nil); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	if _, err := New(Spec{Kind: MSWI}, sim.NewEngine(), make([]Hart, 1025)); err == nil {
		t.Error("1025 harts: no error")
	}
}

// Accesses of any place, size and value do not panic.
func FuzzDevice(f *testing.F) {
	f.Add(uint64(0x4000), uint64(1), uint8(8), uint8(0))
	f.Fuzz(func(t *testing.T, off, v uint64, w, k uint8) {
		b := newBench(t, Kind(k%4))
		b.WriteReg(off%0x1_2000, bus.Width(w), v)
		b.ReadReg(off%0x1_2000, bus.Width(w))
		b.WriteReg(rv.CLINT_MTIMECMP+8, bus.W64, v)
	})
}
