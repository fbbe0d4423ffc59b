package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An OuterModel is what a completing fence for more than the inner-shareable domain waits for, beyond the drains of the
// stores before it. No document says, so each is a hypothesis beside its rivals, with one time of its own.
type OuterModel uint8

// The models.
const (
	// OuterNone: nothing. It claims least.
	OuterNone OuterModel = iota
	// OuterSerial: each entry of the store buffer that has drained is acknowledged, one after another.
	OuterSerial
	// OuterPipelined: the same, but several acknowledgements are under way at a time.
	OuterPipelined
	// OuterMoved: a store whose line had to come, or had to be taken from others, is acknowledged by the line's home,
	// over the legs there and back; all of them at a time.
	OuterMoved
	// OuterFlush: a fence writes out what is dirty in the CPU's cache, one line after another. The CPU keeps its copies.
	OuterFlush

	outerModels = 5
)

var outerNames = [outerModels]string{"none", "serial", "pipelined", "moved", "flush"}

// String is the name in scripts.
func (m OuterModel) String() string { return outerNames[m] }

// Doc says what a fence waits for.
func (m OuterModel) Doc() string {
	const beyond = "a DSB beyond the inner-shareable domain "
	return [outerModels]string{
		"a DSB of any domain waits for drains and nothing else",
		beyond + "waits for an acknowledgement of each store, one after another",
		beyond + "waits for an acknowledgement of each store, of which a window is under way at a time",
		beyond + "waits for an acknowledgement of each store whose line moved, from its home",
		beyond + "writes the CPU's dirty lines out, one after another",
	}[m]
}

// OuterModels are the names of all models.
func OuterModels() []string { return outerNames[:] }

// Outer is a model with its numbers, of which each model uses some.
type Outer struct {
	Model  OuterModel
	Ack    sim.Time // one acknowledgement; of a line that moved beside the legs
	Window int      // OuterPipelined: how many are under way at a time
	Flush  sim.Time // OuterFlush: one line
}

func (o *Outer) validate() error {
	switch {
	case o.Ack < 0 || o.Flush < 0:
		return fmt.Errorf("outer acknowledgement of %s, flush of %s: expected 0 or more", o.Ack, o.Flush)
	case o.Model == OuterPipelined && o.Window < 1:
		return fmt.Errorf("window of %d acknowledgements: expected at least 1", o.Window)
	}
	return nil
}

// outer is what a CPU has outstanding beyond the inner point.
type outer struct {
	Outer
	c      *CPU
	acked  sim.Time   // all acknowledgements so far have come
	window []sim.Time // when the last ones come, a ring: a further one begins when the oldest of them has come
	oldest int
	dirty  dirtyLines
}

// newOuter is nil for the model that waits for nothing.
func newOuter(c *CPU, o Outer) *outer {
	if o.Model == OuterNone {
		return nil
	}
	u := &outer{Outer: o, c: c, dirty: dirtyLines{index: map[uint64]int{}}}
	if o.Model == OuterSerial {
		u.Window = 1
	}
	u.window = make([]sim.Time, u.Window)
	return u
}

// reset forgets what was outstanding.
func (o *outer) reset() {
	o.acked = 0
	clear(o.window)
	o.dirty.clear()
}

// stored notes a store that has been issued. One that joined an earlier store's entry is acknowledged with that.
func (o *outer) stored(addr uint64, out mem.Outcome) {
	switch o.Model {
	case OuterFlush:
		o.soiled(addr)
	case OuterMoved:
		if !out.Merged && out.Distance != mem.Own {
			legs := 2 * o.c.timed.memory.Leg(o.c.ID, int(out.Home))
			o.acked = max(o.acked, out.Done+legs+o.Ack)
		}
	default:
		if out.Merged {
			return
		}
		w := &o.window[o.oldest]
		*w = max(*w, out.Done) + o.Ack
		o.acked = max(o.acked, *w)
		if o.oldest++; o.oldest == len(o.window) {
			o.oldest = 0
		}
	}
}

// soiled notes that the CPU has written to a line.
func (o *outer) soiled(addr uint64) {
	if o.Model == OuterFlush {
		o.dirty.add(addr/mem.LineSize, o.c.timed.memory.Version(addr))
	}
}

// complete is when everything is complete that had drained by a time.
func (o *outer) complete(drained sim.Time) sim.Time {
	if o.Model != OuterFlush {
		return max(drained, o.acked)
	}
	now := o.c.proc.Now()
	at := max(now, drained)
	for _, d := range o.dirty.lines {
		at = o.c.timed.memory.WriteOut(o.c.ID, d.line*mem.LineSize, d.version, now, at, o.Flush)
	}
	o.dirty.clear()
	return at
}

// dirtyLines are the lines that a CPU has written to since it last wrote them out, each with the version that its last
// write made: at another version, somebody else has the line.
type dirtyLines struct {
	lines []dirtyLine
	index map[uint64]int // into lines, by line
}

type dirtyLine struct {
	line    uint64
	version uint32
}

func (d *dirtyLines) add(line uint64, version uint32) {
	i, known := d.index[line]
	if !known {
		i = len(d.lines)
		d.lines = append(d.lines, dirtyLine{line: line})
		d.index[line] = i
	}
	d.lines[i].version = version
}

func (d *dirtyLines) clear() {
	d.lines = d.lines[:0]
	clear(d.index)
}
