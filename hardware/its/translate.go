package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// translator is the frame that devices write to.
type translator struct{ i *ITS }

// Transact is bus.Target: a write of 16 or 32 bits to GITS_TRANSLATER is a message of the device that its master is, of
// device 0 without one. It is done when it has arrived. All else in the frame reads as zero and ignores writes.
func (f *translator) Transact(t *bus.Transaction) bus.Answer {
	a := bus.Answer{Done: t.At, Served: bus.ByDevice}
	off := uint64(t.Addr) % uint64(gic.FrameSize)
	switch {
	case t.Op > bus.Write || t.Len > uint8(bus.W64):
		return bus.Answer{Done: t.At, Fault: bus.Refused}
	case off%uint64(t.Len) != 0:
		return bus.Answer{Done: t.At, Fault: bus.Misaligned}
	case off != gic.GITS_TRANSLATER-uint64(gic.TranslationFrame) || t.Len != 2 && t.Len != 4:
		a.Fault = bus.NoRegister
	}
	switch {
	case t.Op == bus.Read:
		t.Data[0] = 0
	case a.Fault == bus.NoFault:
		m := message{event: uint32(t.Data[0] & bus.Width(t.Len).Mask()), at: max(t.At, f.i.eng.Now())}
		if t.Master != nil {
			m.device = t.Master.DeviceID
		}
		f.i.message(m)
	}
	return a
}

// A message is an event of a device, which arrives at a time.
type message struct {
	device, event uint32
	at            sim.Time
}

// message takes a message.
func (i *ITS) message(m message) {
	if !i.enabled {
		i.dropped++
		i.note(Event{At: m.at, Message: true, Command: m.command(), Reason: disabled})
		return
	}
	i.waiting.push(m)
	i.lookUp(m.at)
}

// command is the command that does what a message does.
func (m message) command() gic.ITSCommand {
	return gic.ITSCommand{
		gic.ITS_CMD_0_DeviceID.Put(uint64(gic.INT), uint64(m.device)), gic.ITS_CMD_1_EventID.Put(0, uint64(m.event)),
	}
}

// lookUp begins to look up the messages that wait, as many as there is room for.
func (i *ITS) lookUp(now sim.Time) {
	for n := range i.slots {
		if i.hold || i.waiting.n == 0 {
			return
		}
		if o := &i.slots[n]; o.stage == idle {
			m := i.waiting.pop()
			o.words = m.command()
			o.begin(gic.INT)
			i.looking++
			o.post(max(now, m.at) + i.ports.Latency.Translate(i.messages))
			i.messages++
		}
	}
}

// translated is the end of a message in a slot.
func (i *ITS) translated(o *operation, now sim.Time) {
	if o.reason != noReason {
		i.dropped++
	}
	o.stage = idle
	i.looking--
	if i.drain && i.looking == 0 {
		i.drain = false
		i.command.post(now)
		return
	}
	i.lookUp(now)
}

// A ring is a queue of messages that grows when it is full.
type ring struct {
	list    []message // a power of two of them
	head, n int
}

func (r *ring) clear() { r.head, r.n = 0, 0 }

func (r *ring) push(m message) {
	if r.n == len(r.list) {
		longer := make([]message, max(16, 2*r.n))
		for k := range r.n {
			longer[k] = r.list[(r.head+k)%r.n]
		}
		r.list, r.head = longer, 0
	}
	r.list[(r.head+r.n)&(len(r.list)-1)] = m
	r.n++
}

func (r *ring) pop() message {
	m := r.list[r.head]
	r.head = (r.head + 1) & (len(r.list) - 1)
	r.n--
	return m
}
