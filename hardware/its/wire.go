package its

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// orderKind is what a redistributor is told.
type orderKind uint8

const (
	setLPI orderKind = iota
	clearLPI
	invalidateLPI
	invalidateAll
	moveLPI
	moveAll
	syncLPIs
)

// An order is what a redistributor is told.
type order struct {
	kind   orderKind
	answer bool // it answers when all is done that it was told
	to     int
	other  int // to whom LPIs move
	intid  uint32
}

// An order on a wire, as an event's argument.
const (
	orderINTID  bits.Field = 0xffffffff << 0 // [31:0]
	orderOther  bits.Field = 0xffff << 32    // [47:32]
	orderOpcode bits.Field = 0xf << 48       // [51:48]
	orderAnswer bits.Field = 1 << 52         // [52]
	orderEpoch  bits.Field = 0x7ff << 53     // [63:53] the ITS's, as far as it fits
)

// A wire carries orders to one redistributor, and its answers back, in order.
type wire struct {
	i       *ITS
	rd      int
	channel sim.Channel
	sent    uint64
	back    answers
}

// answers is the way back of a wire.
type answers struct{ w *wire }

func (w *wire) init(i *ITS, rd int) { w.i, w.rd, w.back.w = i, rd, w }

// hop is how long the next message on the wire is under way.
func (w *wire) hop() sim.Time {
	w.sent++
	return w.i.ports.Latency.HandOver(w.rd, w.sent-1)
}

// tell puts an order on the wire to its redistributor.
func (i *ITS) tell(o *order, now sim.Time) {
	w := &i.wires[o.to]
	if !w.channel.Registered() {
		i.eng.Register(&w.channel, fmt.Sprintf("%s to GICR%d", i.ports.Master.Name, w.rd))
	}
	v := orderINTID.Put(0, uint64(o.intid))
	v = orderOther.Put(v, uint64(o.other))
	v = orderOpcode.Put(v, uint64(o.kind))
	v = orderAnswer.Put(v, bits.Flag(o.answer))
	i.eng.Post(&w.channel, now+w.hop(), w, orderEpoch.Put(v, i.epoch))
}

// Fire is an order that arrives.
func (w *wire) Fire(_ sim.Time, v uint64) {
	if orderEpoch.Get(v) != w.i.epoch&orderEpoch.Max() {
		return
	}
	o := order{
		kind: orderKind(orderOpcode.Get(v)), to: w.rd, other: int(orderOther.Get(v)), intid: uint32(orderINTID.Get(v)),
	}
	o.deliver(w.i.ports.Redistributors)
	if orderAnswer.Is(v) {
		w.i.ports.Redistributors.SyncLPIs(w.rd, &w.back, w.i.epoch)
	}
}

// deliver tells the redistributor.
func (o *order) deliver(r Redistributors) {
	switch o.kind {
	case setLPI:
		r.SetLPI(o.to, o.intid)
	case clearLPI:
		r.ClearLPI(o.to, o.intid)
	case invalidateLPI:
		r.InvalidateLPI(o.to, o.intid)
	case invalidateAll:
		r.InvalidateAllLPIs(o.to)
	case moveLPI:
		r.MoveLPI(o.to, o.other, o.intid)
	case moveAll:
		r.MoveAllLPIs(o.to, o.other)
	}
}

// Fire is a redistributor's answer that leaves.
func (a *answers) Fire(now sim.Time, epoch uint64) {
	if i := a.w.i; epoch == i.epoch {
		i.command.post(now + a.w.hop())
	}
}
