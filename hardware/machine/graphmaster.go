package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
)

// A GraphMaster is a device that reaches memory by itself and can be explored: its registers are those of a Recorded
// device, which tells it what to do; what it does is a thread of its own, one piece of work after another.
type GraphMaster interface {
	Recorded
	// Masters are its names on the bus.
	Masters() []*bus.Master
	// Employ makes the registers hand work to this function, during an access, instead of doing it.
	Employ(hand func(work uint64))
	// Work does a piece of work. It knows nothing but the work and what it loads, and leaves nothing behind but what it
	// stores: it is done again, in other executions, and in part.
	Work(p *MasterPort, work uint64)
}

// MasterPort is how a master reaches memory and registers in an execution graph. Its accesses are coherent, and each
// depends on all that the same piece of work has loaded before: so they come after that. Stores are ordered by their
// own order only, and by fences.
type MasterPort struct {
	h       *graph.Handle
	objects *graphObjects
	m       *Machine
	device  int // which it is
	loaded  graph.Value
}

// Load reads size bytes of memory or a register.
func (p *MasterPort) Load(addr uint64, size uint8, order bus.Order) uint64 {
	at := p.loaded.With(addr)
	var v graph.Value
	if p.m.Memory.Contains(addr, uint64(size)) {
		v = p.h.Read(at, size, graph.Read|cpu.ReadClass(order))
	} else {
		v = p.register(bus.Read, at, size, 0, graph.Read|graph.Device|cpu.ReadClass(order))
	}
	p.loaded = p.loaded.With(0, v)
	p.h.Branch(v)
	return v.Bits
}

// Store writes size bytes of memory or a register.
func (p *MasterPort) Store(addr uint64, size uint8, v uint64, order bus.Order) {
	at := p.loaded.With(addr)
	if p.m.Memory.Contains(addr, uint64(size)) {
		p.h.Write(at, size, graph.Write|cpu.WriteClass(order), p.loaded.With(v))
		return
	}
	p.register(bus.Write, at, size, v, graph.Write|graph.Device|cpu.WriteClass(order))
}

// Fence orders accesses.
func (p *MasterPort) Fence(f bus.Fence) {
	p.h.Fence(graph.Fence{Before: graph.Access(f.Before), After: graph.Access(f.After), Completes: f.Completion})
}

// register is an access to a device.
func (p *MasterPort) register(op bus.Op, at graph.Value, size uint8, v uint64, class graph.Class) graph.Value {
	r := p.m.Devices.Find(bus.Addr(at.Bits))
	if r == nil {
		p.h.Refuse(fmt.Errorf("a master accesses 0x%x: expected memory or a device", at.Bits))
	}
	list, err := p.objects.Frame(r, at.Bits, op == bus.Write)
	if err != nil {
		p.h.Refuse(fmt.Errorf("a master accesses %s: %w", r.Name, err))
	}
	t := &bus.Transaction{Addr: bus.Addr(at.Bits), Len: size, Op: op}
	return cpu.Perform(p.h, p.objects, list, class, func() uint64 {
		t.Data[0] = v
		r.Transact(t)
		return t.Data[0]
	}, at.With(v))
}

// Report tells the master's own registers something, behind everything that the piece of work has done before. The
// device is a reporter.
func (p *MasterPort) Report(v uint64) {
	list := []cpu.Object{p.objects.objectOf(p.device) + sending, p.objects.objectOf(p.device)}
	class := graph.Write | graph.Device | cpu.WriteClass(bus.Release)
	cpu.Perform(p.h, p.objects, list, class, func() uint64 {
		p.objects.devices[p.device].perform(deviceAccess{write: true, own: true, value: v})
		return 0
	}, p.loaded.With(v))
}

// Send lets a message of a board's part arrive at some time, behind those that this master has sent to the same part.
func (p *MasterPort) Send(m cpu.Message) {
	cpu.Deliver(p.h, p.objects, m, graph.Write|graph.Device|graph.Early, p.loaded)
}

// Await waits until what this master has sent to a part with such a message has arrived.
func (p *MasterPort) Await(m cpu.Message) {
	nothing := func() uint64 { return 0 }
	v := cpu.Perform(p.h, p.objects, p.objects.Touches(m), graph.Read|graph.Device, nothing, p.loaded)
	p.loaded = p.loaded.With(0, v)
}

// Stop ends the master's work: what comes behind is never begun.
func (p *MasterPort) Stop() {
	at := graph.Constant(cpu.ObjectAt(p.objects.objectOf(p.device) + workQueue))
	p.h.Wait(at, 8, graph.Sampled, func(uint64) bool { return false }, false)
}

// workMessage marks the message that is a piece of work, of the device that its number below this has.
const workMessage = wireMessage - 1

// master is the thread of a master's work. A piece is seen in any state in which it has been given: a wait for the one
// in which it was the last could miss it.
func (x *Graphs) master(h *graph.Handle, device int) {
	d := x.objects.devices[device]
	at := graph.Constant(cpu.ObjectAt(x.objects.objectOf(device) + workQueue))
	for n := 1; ; n++ {
		list, _ := h.Wait(at, 8, graph.Sampled|graph.Taken, func(v uint64) bool {
			return len(x.objects.sent.lists[v]) >= n
		}, false)
		p := &MasterPort{h: h, objects: x.objects, m: x.Machine, device: device}
		d.device.(GraphMaster).Work(p, x.objects.sent.lists[list.Bits][n-1].What)
	}
}
