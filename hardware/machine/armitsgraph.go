package machine

import (
	"errors"
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/sim"
)

// itsFrame is the ITS's registers on the bus. In an execution graph it is a GraphMaster: a write of GITS_CWRITER gives
// it a command for each slot up to there, and each that is done moves GITS_CREADR. Tables are what executions begin
// with, and what commands make of them.
type itsFrame struct {
	*itsPart
	gic  *gicv3.States
	hand func(slot uint64)

	first, present itsPointers // when executions begin, and now
}

// itsPointers are offsets in the queue.
type itsPointers struct{ writer, reader uint64 }

// ReadReg is bus.Device.
func (f *itsFrame) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	v, ok := f.ITS.ReadReg(off, w)
	if f.hand == nil || !ok {
		return v, ok
	}
	switch off &^ 4 {
	case gic.GITS_CWRITER:
		v = f.present.writer >> (off & 4 * 8) & w.Mask()
	case gic.GITS_CREADR:
		v = f.present.reader >> (off & 4 * 8) & w.Mask()
	case gic.GITS_CTLR:
		if off == gic.GITS_CTLR && f.present.writer != f.present.reader {
			v &^= uint64(gic.GITS_CTLR_Quiescent)
		}
	}
	return v, ok
}

// WriteReg is bus.Device.
func (f *itsFrame) WriteReg(off uint64, w bus.Width, v uint64) bool {
	switch {
	case f.hand == nil:
		return f.ITS.WriteReg(off, w, v)
	case off != gic.GITS_CWRITER || w < bus.W32:
		(*graph.Handle)(nil).Refuse(fmt.Errorf("a write of %d bytes to GITS+0x%x: expected one to GITS_CWRITER, since "+
			"all else is set up before an exploration", w, off))
	}
	to := v & uint64(gic.GITS_CWRITER_Offset)
	if to >= f.queueSize() {
		(*graph.Handle)(nil).Refuse(fmt.Errorf("GITS_CWRITER is set to 0x%x: expected an offset in the queue of 0x%x "+
			"bytes", to, f.queueSize()))
	}
	for f.present.writer != to {
		f.hand(f.present.writer)
		f.present.writer = f.next(f.present.writer)
	}
	return true
}

func (f *itsFrame) cbaser() uint64 {
	v, _ := f.ITS.ReadReg(gic.GITS_CBASER, bus.W64)
	return v
}

func (f *itsFrame) queueSize() uint64 { return (gic.GITS_CBASER_Size.Get(f.cbaser()) + 1) << 12 }

// next is the slot behind another.
func (f *itsFrame) next(slot uint64) uint64 {
	return (slot + uint64(gic.ITSCommandSize)) % f.queueSize()
}

// Rewind and Fingerprint are Recorded.
func (f *itsFrame) Rewind() { f.present = f.first }

func (f *itsFrame) Fingerprint() (string, bool) { return fmt.Sprint(f.present), true }

// Reported is reporter: the command in a slot is done.
func (f *itsFrame) Reported(slot uint64) { f.present.reader = f.next(slot) }

// Masters is GraphMaster: the ITS, and the redistributors, whose tables it looks up for them.
func (f *itsFrame) Masters() []*bus.Master { return f.masters }

// Employ is GraphMaster.
func (f *itsFrame) Employ(hand func(slot uint64)) {
	writer, _ := f.ITS.ReadReg(gic.GITS_CWRITER, bus.W64)
	reader, _ := f.ITS.ReadReg(gic.GITS_CREADR, bus.W64)
	f.first = itsPointers{writer, reader}
	f.hand, f.gic = hand, f.board.states
}

// Work is GraphMaster: it fetches the command in a slot and does what it says.
func (f *itsFrame) Work(p *MasterPort, slot uint64) {
	var c gic.ITSCommand
	base := f.cbaser() & uint64(gic.GITS_CBASER_Physical_Address)
	for n := range c {
		c[n] = p.Load(base+slot+8*uint64(n), 8, bus.Plain)
	}
	w := &itsWork{f, p}
	if spec := f.Spec(); !spec.Plain() || f.board.gic.Spec().ConfigCache != 0 {
		p.h.Refuse(errCaches)
	}
	if !f.ITS.Perform(c, w, w) {
		p.Stop()
	}
	p.Report(slot)
}

// errCaches is why some ITSs are not explored.
var errCaches = errors.New("an ITS or redistributors that keep entries of their tables, or stall, are not explored: " +
	"expected ones that do not")

// itsWork is what a command reaches in an execution graph: memory, and the redistributors, which do at once what they
// are told. It reads an LPI's configuration for them.
type itsWork struct {
	*itsFrame
	p *MasterPort
}

// Load and Store are its.Words.
func (w *itsWork) Load(addr uint64) uint64 { return w.p.Load(addr, 8, bus.Plain) }

func (w *itsWork) Store(addr, v uint64) { w.p.Store(addr, 8, v, bus.Plain) }

// order tells a redistributor something about an LPI.
func (w *itsWork) order(rd int, o gicv3.LPIOrder) { w.p.Send(cpu.Message{To: rd, What: o.Message()}) }

// configured is order with the LPI's configuration, as a redistributor would read it.
func (w *itsWork) configured(rd, by int, o gicv3.LPIOrder) {
	if addr, ok := w.gic.LPIConfigAt(by, o.INTID); ok {
		o.Config = uint8(w.p.Load(addr, 1, bus.Plain))
	}
	w.order(rd, o)
}

// SetLPI is its.Redistributors, as are the others.
func (w *itsWork) SetLPI(rd int, intid uint32) {
	w.configured(rd, rd, gicv3.LPIOrder{Kind: gicv3.LPISet, INTID: intid})
}

func (w *itsWork) ClearLPI(rd int, intid uint32) {
	w.order(rd, gicv3.LPIOrder{Kind: gicv3.LPIClear, INTID: intid})
}

func (w *itsWork) InvalidateLPI(rd int, intid uint32) {
	w.configured(rd, rd, gicv3.LPIOrder{Kind: gicv3.LPIConfigure, INTID: intid})
}

func (w *itsWork) MoveLPI(from, to int, intid uint32) {
	w.configured(from, to, gicv3.LPIOrder{Kind: gicv3.LPIMove, INTID: intid, To: to})
}

func (w *itsWork) InvalidateAllLPIs(int) { w.refuse("INVALL") }

func (w *itsWork) MoveAllLPIs(int, int) { w.refuse("MOVALL") }

func (w *itsWork) refuse(what string) {
	w.p.h.Refuse(fmt.Errorf("the ITS has to do %s: expected commands about one event", what))
}

// SyncLPIs answers by returning.
func (w *itsWork) SyncLPIs(rd int, _ sim.Handler, _ uint64) {
	w.p.Await(cpu.Message{To: rd, What: gicv3.LPIOrder{}.Message()})
}
