package gicv3

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
)

// readWaker: RAZ/WI in the Non-secure view.
func (r *Redistributor) readWaker() uint64 {
	if !r.g.spec.DS {
		return 0
	}
	v := gic.GICR_WAKER_ProcessorSleep.Put(0, bits.Flag(r.sleep))
	v = gic.GICR_WAKER_ChildrenAsleep.Put(v, bits.Flag(r.quiet))
	v = gic.GICR_WAKER_Sleep.Put(v, bits.Flag(r.g.dist.sleep))
	return gic.GICR_WAKER_Quiescent.Put(v, bits.Flag(r.g.dist.quiescent))
}

// writeWaker: the whole GIC goes to sleep only when every PE does, and no PE wakes up before the GIC.
func (r *Redistributor) writeWaker(v uint64) {
	if !r.g.spec.DS {
		return
	}
	if sleep := gic.GICR_WAKER_Sleep.Is(v); sleep != r.g.dist.sleep && (!sleep || r.g.allQuiet()) {
		r.g.dist.sleep = sleep
		for i := range r.g.redists {
			r.g.touch(&r.g.redists[i]) // asleep, it asks nobody to wake up
		}
		r.g.handshake(rwpDistributor)
	}
	if sleep := gic.GICR_WAKER_ProcessorSleep.Is(v); sleep != r.sleep && !r.g.dist.sleep {
		switch {
		case sleep && r.cpu.enabled != groups{}:
			r.remark("GICR_WAKER", "set ProcessorSleep with an interrupt group enabled")
		case !sleep && !r.quiet:
			r.remark("GICR_WAKER", "cleared ProcessorSleep with ChildrenAsleep 0")
		}
		r.setSleep(sleep)
	}
	r.g.settle()
}

// setSleep changes ProcessorSleep. ChildrenAsleep follows when the interface to the PE is quiet, or no longer is;
// interrupts are presented while neither is set. IHI 0069, 11.1.
func (r *Redistributor) setSleep(sleep bool) {
	r.sleep = sleep
	r.participationChanged()
	r.g.touch(r)
	r.g.handshake(int(r.index))
}

// SetSleep is what firmware does when it puts a PE to sleep, or wakes it up, which has power all the time.
func (g *GIC) SetSleep(cpu int, sleep bool) {
	if r := &g.redists[cpu]; r.powered && r.sleep != sleep {
		g.dist.changed = true
		r.setSleep(sleep)
		g.settle()
	}
}

func (g *GIC) allQuiet() bool {
	for i := range g.redists {
		if r := &g.redists[i]; r.powered && !(r.sleep && r.quiet) {
			return false
		}
	}
	return true
}

// handshake makes the answer of GICR_WAKER follow, that of a redistributor or of the whole GIC.
func (g *GIC) handshake(who int) {
	if g.spec.RWPDelay == 0 {
		g.answer(who)
		return
	}
	g.eng.Post(&g.rwp, g.eng.Now()+g.spec.RWPDelay, g, uint64(who|answers)<<32|uint64(g.epoch))
}

// answer ends a handshake, unless the power has ended it before.
func (g *GIC) answer(who int) {
	if who == rwpDistributor {
		g.dist.quiescent = g.dist.sleep
		return
	}
	r := &g.redists[who]
	r.quiet = r.sleep
	r.participationChanged()
	g.touch(r)
}
