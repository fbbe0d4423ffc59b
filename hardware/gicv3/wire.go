package gicv3

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// A wire carries the SGIs of one PE to one PE, in order; those of another sender pass it by.
type wire struct {
	channel sim.Channel
	sent    uint64 // SGIs so far
}

// wires are those of one sender, by blocks of targets. A pair that never talks has none.
type wires []*[targetListSize]wire

// wireTo is the wire from r to another redistributor, or to itself, made on first use.
func (r *Redistributor) wireTo(to *Redistributor) *wire {
	if r.wires == nil {
		r.wires = make(wires, (len(r.g.redists)+targetListSize-1)/targetListSize)
	}
	block := &r.wires[to.index/targetListSize]
	if *block == nil {
		*block = new([targetListSize]wire)
	}
	w := &(*block)[to.index%targetListSize]
	if !w.channel.Registered() {
		r.g.connect(w, r.index, to.index)
	}
	return w
}

// connect registers a wire.
func (g *GIC) connect(w *wire, from, to int16) {
	g.eng.Register(&w.channel, fmt.Sprintf("SGI wire CPU%d to CPU%d", from, to))
	g.used = append(g.used, w)
}
