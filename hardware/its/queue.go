package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// consume begins the next command, if there is one and the consumer is free.
func (i *ITS) consume() {
	size := i.queueSize()
	if !i.enabled || i.stalled || i.command.stage != idle || i.cwriter == i.creadr || i.cwriter >= size ||
		i.creadr >= size {
		return
	}
	o := &i.command
	o.stage, o.task = fetching, task{}
	o.load(i.queueBase()+i.creadr, uint8(gic.ITSCommandSize), i.queueAttr())
	o.transact(i.eng.Now())
}

// queueAttr is how commands are read.
func (i *ITS) queueAttr() bus.Attr {
	return bus.TableAttr(gic.Cacheability(gic.GITS_CBASER_InnerCache.Get(i.cbaser)),
		gic.Cacheability(gic.GITS_CBASER_OuterCache.Get(i.cbaser)),
		gic.Shareability(gic.GITS_CBASER_Shareability.Get(i.cbaser)))
}

// fetched is a command that has come from memory: it takes a while until its first access.
func (i *ITS) fetched(now sim.Time) {
	o := &i.command
	copy(o.words[:], o.t.Data[:])
	o.begin(gic.ITSOpcode(gic.ITS_CMD_0_Opcode.Get(o.words[0])))
	o.post(now + i.ports.Latency.Command(i.commands))
	i.commands++
	if i.eng.Tracing {
		i.trace(now, "command at 0x%x: %s", i.creadr, DescribeCommand(o.words))
	}
}

// finished is the end of a command, in error or not.
func (i *ITS) finished(now sim.Time) {
	if o := &i.command; o.reason == noReason || o.reason != accessFault && !i.spec.Stall {
		i.creadr = (i.creadr + uint64(gic.ITSCommandSize)) % i.queueSize()
		i.done++
	} else {
		i.stalled = true
	}
	i.command.stage = idle
	i.release(now)
	i.consume()
}

// alone makes a command wait until no message is being looked up, and others wait for it.
func (o *operation) alone() demand {
	i := o.i
	i.hold = true
	if i.drain = i.looking > 0; i.drain {
		return pause
	}
	return done
}

// free lets messages be looked up again before the command ends.
func (o *operation) free() demand {
	o.i.release(o.i.eng.Now())
	return done
}

// release ends what alone began.
func (i *ITS) release(now sim.Time) {
	i.hold, i.drain = false, false
	i.lookUp(now)
}
