package gicv3

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

// Redistributor holds the SGIs and PPIs of one PE and chooses what its CPU interface sees.
type Redistributor struct {
	g     *GIC
	index int16
	port  CPUPort
	typer uint64 // GICR_TYPER

	wires wires // SGIs on their way from this PE
	stats Stats

	redistributorState
	cpu  CPUInterface
	lpis *lpiUnit // nil: no LPIs
}

// reset sets the power-on state: powered, wires low.
func (r *Redistributor) reset() {
	r.clear()
	r.bank.line, r.powered = 0, true
	r.update()
}

// clear forgets all that is lost with the power. Wires keep their levels.
func (r *Redistributor) clear() {
	line, wanted := r.bank.line, r.wanted
	spec := &r.g.spec
	r.redistributorState = redistributorState{bestSPI: none, wanted: wanted, dirty: r.dirty}
	r.sleep, r.quiet = !spec.givenAway(), !spec.givenAway()
	r.bank = bank{valid: ^uint32(0), edge: sgis, line: line}
	if spec.givenAway() {
		r.bank.group = ^uint32(0)
	}
	r.cpu.clear()
	if r.lpis != nil {
		r.lpis.reset()
	}
}

// sgis are the bits of the SGIs in a bank.
const sgis = 1<<gic.FirstPPI - 1

// ReadReg implements [bus.Device].
func (r *Redistributor) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	return redistributorFrame.Read(r, off, w)
}

// WriteReg implements [bus.Device]. Without power, registers show their reset values and ignore writes.
func (r *Redistributor) WriteReg(off uint64, w bus.Width, v uint64) bool {
	if !r.powered {
		return true
	}
	r.g.dist.changed = true // 1-of-N routing follows GICR_CTLR.DPG and GICR_WAKER
	return redistributorFrame.Write(r, off, w, v)
}

// awake reports whether interrupts are presented.
func (r *Redistributor) awake() bool { return r.powered && !r.sleep && !r.quiet }

// let are the groups that reach the CPU interface's priority logic.
func (r *Redistributor) let() groups { return r.g.dist.enabled.and(r.cpu.enabled) }

// consider makes an SPI that was just offered the best one, if it is.
func (r *Redistributor) consider(id int) {
	d := &r.g.dist
	if r.spiStale || !d.group1(id) && !r.cpu.enabled.group0 || d.group1(id) && !r.cpu.enabled.group1 {
		return
	}
	best, priority := int(r.bestSPI), uint8(gic.IdlePriority)
	if best != none {
		priority = d.priority[best]
	}
	if d.priority[id] < priority || best != none && d.priority[id] == priority && id < best {
		r.bestSPI = int16(id)
	}
}

// searchSPI finds the best SPI among those offered, after the old one was withdrawn or the groups have changed.
func (r *Redistributor) searchSPI() {
	d := &r.g.dist
	r.spiStale, r.bestSPI = false, none
	if r.spis == 0 {
		return
	}
	for w, set := range d.candidates {
		for set != 0 {
			if id := w*32 + popLowest(&set); d.target[id] == r.index {
				r.consider(id)
			}
		}
	}
}

// highest is the most urgent interrupt that is presented; of equals, that with the lowest INTID. One with the idle
// priority is none: no mask lets it pass.
func (r *Redistributor) highest() pendingInterrupt {
	if !r.awake() {
		return nothingPending
	}
	if r.spiStale {
		r.searchSPI()
	}
	best, set := nothingPending, r.bank.candidates()
	if set != 0 {
		set &= r.let().mask(r.bank.group)
	}
	for set != 0 {
		if id := popLowest(&set); r.priority[id] < best.priority {
			best = pendingInterrupt{gic.INTID(id), r.priority[id], r.bank.group>>id&1 != 0}
		}
	}
	if id := int(r.bestSPI); id != none && r.g.dist.priority[id] < best.priority {
		best = pendingInterrupt{gic.INTID(id), r.g.dist.priority[id], r.g.dist.group1(id)}
	}
	if r.bestLPI != 0 && r.bestLPI.priority() < best.priority && r.let().group1 {
		best = pendingInterrupt{r.bestLPI.id(), r.bestLPI.priority(), true}
	}
	return best
}

// update makes the outputs follow the state: the CPU interface's, and the wake request.
func (r *Redistributor) update() {
	r.cpu.present(r.highest())
	wanted := r.powered && r.sleep && !r.g.dist.sleep &&
		(r.spis > 0 || r.bank.candidates()&r.g.dist.enabled.mask(r.bank.group) != 0 ||
			r.bestLPI != 0 && r.g.dist.enabled.group1)
	if wanted != r.wanted {
		r.wanted = wanted
		if r.g.waker != nil {
			r.g.waker.WakeRequest(int(r.index), wanted)
		}
	}
}

func (r *Redistributor) readCtlr() uint64 {
	v := gic.GICR_CTLR_EnableLPIs.Put(r.dpg, bits.Flag(r.enableLPIs))
	v = gic.GICR_CTLR_CES.Put(v, bits.Flag(r.g.spec.LPIS && r.g.spec.CES))
	return gic.GICR_CTLR_RWP.Put(v, bits.Flag(r.rwp > 0))
}

func (r *Redistributor) writeCtlr(v uint64) {
	spec := &r.g.spec
	lpis := r.lpisEnabledBy(v)
	dpg := uint64(0)
	if !spec.No1N {
		dpg = v & uint64(gic.GICR_CTLR_DPG1NS)
	}
	if !spec.No1N && spec.DS {
		dpg = v & uint64(gic.GICR_CTLR_DPG0|gic.GICR_CTLR_DPG1NS)
	}
	if r.enableLPIs && !lpis || dpg != r.dpg {
		r.hold()
	}
	r.dpg = dpg
	if lpis != r.enableLPIs {
		r.switchLPIs(lpis)
	}
	r.participationChanged()
	r.g.settle()
}

// lpisEnabledBy is EnableLPIs as a write leaves it. Once set it stays, unless GICR_CTLR.CES says otherwise. Setting it
// again before RWP says that the tables are drained is UNPREDICTABLE: here it stays clear. IHI 0069, 12.11.
func (r *Redistributor) lpisEnabledBy(v uint64) bool {
	spec := &r.g.spec
	switch set := spec.LPIS && gic.GICR_CTLR_EnableLPIs.Is(v); {
	case r.enableLPIs && !spec.CES:
		return true
	case set && r.draining:
		r.remark("GICR_CTLR", "set EnableLPIs before RWP was 0")
		return false
	default:
		return set
	}
}

// switchLPIs changes EnableLPIs: the pending table is read, or written.
func (r *Redistributor) switchLPIs(on bool) {
	r.enableLPIs = on
	if r.lpis == nil {
		return
	}
	r.lpis.presented()
	if on {
		r.lpis.submit(lpiRequest{kind: lpiScan})
		return
	}
	r.draining = true
	r.rwp++
	r.lpis.submit(lpiRequest{kind: lpiDrain})
}

func (r *Redistributor) readIidr() uint64 { return uint64(r.g.spec.IIDR) }

func (r *Redistributor) readTyper() uint64 { return r.typer }

func (r *Redistributor) readIdentification(i int) uint64 {
	return identification(&r.g.spec.RedistributorPIDR, i)
}

// The registers of direct injection and invalidation, which exist if GICR_TYPER.DirectLPI says so. IHI 0069, 12.11.

func (r *Redistributor) writeSetLPI(v uint64) {
	r.direct(lpiSet, gic.INTID(gic.GICR_SETLPIR_pINTID.Get(v)))
}

func (r *Redistributor) writeClearLPI(v uint64) {
	r.direct(lpiClear, gic.INTID(gic.GICR_CLRLPIR_pINTID.Get(v)))
}

func (r *Redistributor) writeInvalidateLPI(v uint64) {
	r.direct(lpiInvalidate, gic.INTID(gic.GICR_INVLPIR_INTID.Get(v)))
}

func (r *Redistributor) writeInvalidateAll(uint64) { r.direct(lpiInvalidateAll, gic.FirstLPI) }

func (r *Redistributor) direct(kind lpiKind, id gic.INTID) {
	if r.g.spec.DirectLPI {
		r.request(lpiRequest{kind: kind, id: id})
	}
}

// readSync: busy while anything that was asked of the redistributor is not done.
func (r *Redistributor) readSync() uint64 {
	return gic.GICR_SYNCR_Busy.Put(0, bits.Flag(r.g.spec.DirectLPI && r.lpis != nil && (r.lpis.busy || r.lpis.handed > 0)))
}

// The bits of the LPI table registers that exist. PTZ is write-only.
const (
	propbaserBits = uint64(gic.GICR_PROPBASER_IDbits | gic.GICR_PROPBASER_InnerCache | gic.GICR_PROPBASER_Shareability |
		gic.GICR_PROPBASER_Physical_Address | gic.GICR_PROPBASER_OuterCache)
	pendbaserBits = uint64(gic.GICR_PENDBASER_InnerCache | gic.GICR_PENDBASER_Shareability |
		gic.GICR_PENDBASER_Physical_Address | gic.GICR_PENDBASER_OuterCache | gic.GICR_PENDBASER_PTZ)
)

func (r *Redistributor) readPropbaser() uint64 { return r.propbaser }

// writePropbaser ignores what it may do anything with: a write while the tables are in use is UNPREDICTABLE.
func (r *Redistributor) writePropbaser(v, mask uint64) {
	if r.g.spec.LPIS && !r.inUse("GICR_PROPBASER") {
		r.propbaser = (r.propbaser&^mask | v) & propbaserBits
	}
}

func (r *Redistributor) readPendbaser() uint64 { return r.pendbaser &^ uint64(gic.GICR_PENDBASER_PTZ) }

func (r *Redistributor) writePendbaser(v, mask uint64) {
	if r.g.spec.LPIS && !r.inUse("GICR_PENDBASER") {
		r.pendbaser = (r.pendbaser&^mask | v) & pendbaserBits
	}
}

// inUse reports whether the tables that a register names are in use, in which case it is not written.
func (r *Redistributor) inUse(register string) bool {
	switch {
	case r.enableLPIs:
		r.remark(register, "wrote %s with EnableLPIs 1", register)
	case r.draining:
		r.remark(register, "wrote %s before RWP was 0", register)
	}
	return r.enableLPIs || r.draining
}

func (r *Redistributor) gic() *GIC { return r.g }

func (r *Redistributor) bankAt(irq int) *bank {
	if irq >= len(r.priority) {
		return nil
	}
	return &r.bank
}

func (r *Redistributor) priorityOf(irq int) *uint8 { return &r.priority[irq] }

// withdraw has nothing to do: private interrupts are offered to nobody else.
func (r *Redistributor) withdraw(int, uint32) {}

func (r *Redistributor) offer(int, uint32) { r.g.touch(r) }

// released ends the effects of one write for which RWP is set.
func (r *Redistributor) released() {
	r.rwp--
	r.draining = r.draining && r.rwp > 0
}

func (r *Redistributor) hold() { r.g.holdRWP(&r.rwp, uint64(r.index)) }
