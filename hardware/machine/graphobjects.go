package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
)

// boardObjects are the objects of a board, numbered from 0.
type boardObjects interface {
	cpu.BoardObjects
	// UseTimers lets timers expire.
	UseTimers()
	// Started says that a timer of a CPU runs when executions begin although timers do not expire.
	Started(cpu int) error
	// Count is their number. Those that have no state may have higher numbers than others of the machine.
	Count() cpu.Object
	// Frame are the objects of an access to a register frame, false if the frame is none of the board's.
	Frame(r *bus.Region, addr uint64, write bool) ([]cpu.Object, bool)
}

// graphBoard is a board that can be explored as objects of a graph. What its parts send while they are accessed goes to
// the outbox.
type graphBoard interface {
	graphObjects(sent *outbox) boardObjects
}

// outbox holds what objects send while they are accessed: a list of messages is a number, that of the empty one is 0.
// The number is made of the messages, so that it is the same for all who explore a program.
type outbox struct {
	lists   map[uint64][]cpu.Message
	present uint64
	open    bool // an access is being performed
}

// The state of what a device has sent: the list, and whether some of it is on its way.
const onItsWay = 1

// begin begins an access with the messages of before.
func (b *outbox) begin(list uint64) { b.present, b.open = list, true }

// errDriven is why an interrupt has no place outside of accesses.
var errDriven = errors.New("an interrupt line is driven by a program: expected a device to drive it")

// send adds a message.
func (b *outbox) send(m cpu.Message) {
	if !b.open {
		(*graph.Handle)(nil).Refuse(errDriven)
	}
	b.present = b.extend(b.present, m)
}

func (b *outbox) extend(list uint64, m cpu.Message) uint64 {
	before := b.lists[list]
	n := list
	for _, v := range [...]uint64{uint64(m.To), m.What} {
		const prime = 1099511628211 // FNV-1a, with the high bits brought down
		n = (n ^ v ^ uint64(len(before)+1)<<32) * prime
		n ^= n >> 29
	}
	n = n>>1 | 1 // a state has one bit more
	if l, known := b.lists[n]; known {
		if len(l) != len(before)+1 || l[len(before)] != m || !slices.Equal(l[:len(before)], before) {
			panic("BUG: two lists of messages have one number")
		}
		return n
	}
	b.lists[n] = append(before[:len(before):len(before)], m)
	return n
}

// Caught and Messages are cpu.Objects.
func (b *outbox) Caught() uint64                       { return b.present }
func (b *outbox) Messages(caught uint64) []cpu.Message { return b.lists[caught] }

// graphObjects are all objects of a machine: those of the board, then some of each other device.
type graphObjects struct {
	boardObjects
	sent    *outbox
	devices []*graphDevice
}

func newGraphObjects(m *Machine, board graphBoard) *graphObjects {
	o := &graphObjects{sent: &outbox{lists: map[uint64][]cpu.Message{0: nil}}}
	o.boardObjects = board.graphObjects(o.sent)
	for _, r := range m.Devices.Regions() {
		if _, known := o.boardObjects.Frame(r, uint64(r.Base), false); known {
			continue
		}
		if d, ok := r.Device.(Recorded); ok {
			o.adopt(r, d)
		}
	}
	return o
}

// adopt takes a device in.
func (o *graphObjects) adopt(r *bus.Region, d Recorded) {
	to := workMessage - len(o.devices)
	if m, ok := d.(GraphMaster); ok {
		m.Employ(func(work uint64) { o.sent.send(cpu.Message{To: to, What: work}) })
	}
	o.devices = append(o.devices, newGraphDevice(r, d, o.sent))
}

// Touches is cpu.Objects.
func (o *graphObjects) Touches(m cpu.Message) []cpu.Object {
	if m.To > workMessage {
		return o.boardObjects.Touches(m)
	}
	return []cpu.Object{o.objectOf(workMessage-m.To) + workQueue}
}

// Receive is cpu.Objects.
func (o *graphObjects) Receive(m cpu.Message) {
	if m.To > workMessage {
		o.boardObjects.Receive(m)
		return
	}
	d := o.devices[workMessage-m.To]
	d.queue = o.sent.extend(d.queue, m)
}

// The objects of a device.
const (
	registers = iota
	sending   // what it has sent
	workQueue // the work that its master has been given

	deviceObjects
)

// device is the device that an object belongs to, nil if it is one of the board's, and which of the device's it is.
func (o *graphObjects) device(n cpu.Object) (d *graphDevice, which cpu.Object) {
	i := n - o.Count()
	if n < o.Count() || i >= cpu.Object(deviceObjects*len(o.devices)) {
		return nil, 0
	}
	return o.devices[i/deviceObjects], i % deviceObjects
}

// objectOf is the first object of a device, that of its registers.
func (o *graphObjects) objectOf(device int) cpu.Object {
	return o.Count() + deviceObjects*cpu.Object(device)
}

// Put is cpu.Objects.
func (o *graphObjects) Put(n cpu.Object, state uint64) {
	switch d, which := o.device(n); {
	case d == nil:
		o.boardObjects.Put(n, state)
	case which == sending:
		o.sent.begin(state >> 1)
		d.sending = state&onItsWay != 0
	case which == workQueue:
		d.queue = state
	default:
		d.present = state
	}
}

// State is cpu.Objects.
func (o *graphObjects) State(n cpu.Object) uint64 {
	switch d, which := o.device(n); {
	case d == nil:
		return o.boardObjects.State(n)
	case which == sending:
		return o.sent.present<<1 | choose[uint64](d.sending, onItsWay, 0)
	case which == workQueue:
		return d.queue
	default:
		return d.present
	}
}

// Frame is cpu.Objects.
func (o *graphObjects) Frame(r *bus.Region, addr uint64, write bool) ([]cpu.Object, error) {
	if list, known := o.boardObjects.Frame(r, addr, write); known {
		return list, nil
	}
	for i, d := range o.devices {
		if d.region == r {
			return []cpu.Object{o.objectOf(i) + sending, o.objectOf(i)}, nil
		}
	}
	return nil, fmt.Errorf("the device cannot be brought back to an earlier state: expected a machine.Recorded")
}

// Ready is cpu.Objects: an access reaches a device when what it has sent before has arrived.
func (o *graphObjects) Ready(n cpu.Object) func(state uint64) bool {
	if d, which := o.device(n); d != nil && which == sending {
		return arrived
	}
	return nil
}

func arrived(state uint64) bool { return state&onItsWay == 0 }

// deliver is the thread of what a device sends: all messages of an access come on their way, and arrive before the next
// access to the device does.
func (o *graphObjects) deliver(h *graph.Handle, device int) {
	at := graph.Constant(cpu.ObjectAt(o.objectOf(device) + sending))
	for done := 0; ; {
		before := done // the condition is asked again in other executions
		list, _ := h.Wait(at, 8, graph.Sampled|graph.Taken, func(v uint64) bool {
			return v&onItsWay != 0 && len(o.sent.lists[v>>1]) > before
		}, false)
		arrived := graph.Value{}
		for _, m := range o.sent.lists[list.Bits>>1][done:] {
			arrived = arrived.With(0, cpu.Deliver(h, o, m, graph.System|graph.Sampled, graph.Value{}))
			done++
		}
		h.Update(at, 8, graph.System, graph.System|graph.Derived, func(v uint64) (now, result uint64, write bool) {
			return v &^ onItsWay, 0, true
		}, arrived)
	}
}
