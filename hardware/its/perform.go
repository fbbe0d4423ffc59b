package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
)

// Words is memory without time.
type Words interface {
	// Load and Store are accesses of 8 bytes.
	Load(addr uint64) uint64
	Store(addr, v uint64)
}

// Perform does at once, in memory without time, what a command does. It answers false if that never ends. Nothing calls
// back: a redistributor that is synchronised with has done all when SyncLPIs returns. The ITS is one that is plain
// ([Spec.Plain]), so that it leaves nothing but in memory.
func (i *ITS) Perform(c gic.ITSCommand, memory Words, r Redistributors) bool {
	o := operation{i: i}
	o.words = c
	o.begin(gic.ITSOpcode(gic.ITS_CMD_0_Opcode.Get(c[0])))
	for len(o.steps) > 0 {
		switch o.steps[0](&o) {
		case access:
			o.perform(memory)
			continue
		case send:
			o.told.deliver(r)
		case wait:
			o.told.deliver(r)
			r.SyncLPIs(o.told.to, nil, 0)
			o.phase = asked
			continue
		case pause:
			return false
		case failed:
			return true
		}
		o.steps, o.phase, o.store = o.steps[1:], begun, false
	}
	return true
}

// perform makes the transaction an access without time.
func (o *operation) perform(memory Words) {
	for n := range uint64(o.t.Len) / 8 {
		if at := uint64(o.t.Addr) + 8*n; o.t.Op == bus.Write {
			memory.Store(at, o.t.Data[n])
		} else {
			o.t.Data[n] = memory.Load(at)
		}
	}
}

// Plain reports whether all that the ITS knows beside its registers is in memory, and no command stops the queue.
func (s *Spec) Plain() bool {
	return s.HCC == 0 && s.DeviceCache+s.EventCache+s.CollectionCache == 0 && !s.Stall
}
