package cpu

import (
	"errors"
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An Object is something beside memory that has states, as an execution graph orders the accesses to it: what belongs
// to a CPU of an interrupt controller, which has the number of the CPU, a timer, a device. Its states are numbered; the
// first is 0.
type Object uint64

// Objects are all objects of a machine. They are in one state at a time, which an access begins and ends with.
type Objects interface {
	// Frame are the objects that an access to a device may read or change. The error says why there are none.
	Frame(r *bus.Region, addr uint64, write bool) ([]Object, error)
	// Ready reports whether an access may find an object, the first of those that it touches, in a state; nil: always.
	// It is at first, and ready again some time after an access has left it unready.
	Ready(o Object) func(state uint64) bool
	BoardObjects
}

// BoardObjects are what a board knows of its objects.
type BoardObjects interface {
	// Put brings an object into a state, and State is the number of its present one.
	Put(o Object, state uint64)
	State(o Object) uint64
	// Raised reports whether a CPU's interrupt input is high in a state of the object of its number.
	Raised(cpu int, state uint64) bool
	// Register are the objects that an access to a system register may read or change, none if the CPU alone sees it. The
	// first is what the register belongs to.
	Register(cpu int, r bits.SysReg, write bool, v uint64) []Object
	// Sends answers the messages that a write of a system register sends; false if it does something else.
	Sends(cpu int, r bits.SysReg, v uint64) (messages []Message, sends bool)
	// Own reports whether only one CPU accesses an object, and Alarms are what changes of such by itself.
	Own(o Object) bool
	Alarms(cpu int) []Alarm
	// Caught are the messages that the access which is being performed has sent so far, as a number, and Messages what the
	// number stands for.
	Caught() uint64
	Messages(caught uint64) []Message
	// Touches are the objects that the arrival of a message may read or change, and Receive is its arrival.
	Touches(m Message) []Object
	Receive(m Message)
}

// A Message is on its way from one object to others: an interrupt, the level of a wire. Nothing orders its arrival but
// what orders its sending.
type Message struct {
	To   int
	What uint64 // how the receiver has it
}

// An Alarm is what an object does by itself, some time after it has come into a state in which it is due.
type Alarm struct {
	Object Object
	Due    func(state uint64) bool
	Expire func()
}

// Where the objects are in a graph: those with states, and the event registers of the CPUs.
const (
	objectsAt = 1 << 62
	eventsAt  = 1<<62 | 1<<61
)

// ObjectAt is where an object is in a graph, and EventAt where the event register of a CPU is.
func ObjectAt(o Object) uint64 { return objectsAt + 8*uint64(o) }

// EventAt is where the event register of a CPU is in a graph.
func EventAt(cpu int) uint64 { return eventsAt + 8*uint64(cpu) }

// ObjectOf is the object at an address of a graph, false if something else is there.
func ObjectOf(at uint64) (Object, bool) {
	return Object(at-objectsAt) / 8, at >= objectsAt && at < eventsAt
}

// EventOf is the CPU whose event register is at an address of a graph, false if something else is there.
func EventOf(at uint64) (cpu int, ok bool) { return int(at-eventsAt) / 8, at >= eventsAt }

// Lines are the interrupt lines of the CPU as a thread of an execution graph.
func (c *CPU) Lines(objects Objects) []graph.Line {
	lines := []graph.Line{{
		Object: ObjectAt(Object(c.ID)), Level: true,
		Raised:  func(state uint64) bool { return objects.Raised(c.ID, state) },
		Handler: func(*graph.Handle) { c.takeOne(Supervisor) },
	}}
	for _, a := range objects.Alarms(c.ID) {
		lines = append(lines, graph.Line{
			Object: ObjectAt(a.Object), Level: true, Silent: true, Raised: a.Due,
			Handler: func(*graph.Handle) { c.graph.change([]Object{a.Object}, a.Expire, graph.Value{}) },
		})
	}
	return lines
}

// change lets something happen to an object that only this CPU accesses, so that its state is known, and the messages
// that it sends.
func (g *graphed) change(objects []Object, do func(), uses graph.Value) {
	g.h.Branch(uses)
	sent := g.access(objects, graph.System, func() uint64 {
		do()
		return g.objects.Caught()
	}, uses)
	for _, m := range g.objects.Messages(sent.Bits) {
		Deliver(g.h, g.objects, m, graph.System, graph.Value{})
	}
}

// JoinGraph makes the CPU one of those of an execution graph. Without objects it has no interrupts, no system
// registers, no events and no devices.
func (c *CPU) JoinGraph(objects Objects) {
	c.graph = &graphed{c: c, objects: objects}
	c.memory = c.graph
}

// ExploreThread begins the CPU's part of an execution graph. The CPU's state has been restored.
func (c *CPU) ExploreThread(h *graph.Handle) {
	c.proc.SetClock(0)
	c.JoinGraph(c.graph.objects)
	c.graph.h = h
	c.engine.Mute(!h.Performing())
	c.maskGraph()
}

// EndThread is the end of the program: interrupts are unmasked.
func (c *CPU) EndThread() {
	c.mask(Supervisor, false)
	c.maskGraph()
}

// Path names what the CPU's program has done so far, if it is a thread of a graph.
func (c *CPU) Path() (uint64, bool) {
	if c.graph == nil {
		return 0, false
	}
	return c.graph.h.Path(), true
}

// Graphed reports whether the CPU is a thread of an execution graph.
func (c *CPU) Graphed() bool { return c.graph != nil }

// CountGraph is what a counter shows to a thread of an execution graph, where time means nothing but a counter has to
// move: how often the thread has looked.
func (c *CPU) CountGraph() uint64 {
	c.graph.counted++
	return c.graph.counted
}

// maskGraph tells the graph whether interrupts are masked.
func (c *CPU) maskGraph() {
	if c.graph != nil {
		c.graph.h.SetMasked(c.IRQMasked())
	}
}

// boundary is a point at which an interrupt may be taken.
func (g *graphed) boundary() {
	if g.objects != nil && !g.c.IRQMasked() {
		g.h.Point()
	}
}

// waitForInterrupt is WFI: an interrupt that is pending ends it, even a masked one.
func (g *graphed) waitForInterrupt() {
	raised := func(state uint64) bool { return g.objects.Raised(g.c.ID, state) }
	g.h.Wait(graph.Constant(ObjectAt(Object(g.c.ID))), 8, graph.Sampled, raised, false)
}

// WaitForEventGraph is WFE of a thread of an execution graph.
func (c *CPU) WaitForEventGraph() {
	c.graph.system("a wait for an event")
	if !c.monitor.set {
		c.graph.h.ClearMonitor()
	}
	c.graph.h.WaitEvent(EventAt(c.ID), 8, c.ClearExclusive)
}

// SendEventGraph sets the event register of a CPU from the program of this one, which is a thread of an execution
// graph. One that is set already is left as it is: that is no event of its own to the graph.
func (c *CPU) SendEventGraph(to int) {
	c.graph.system("an event")
	read, write := graph.Message, graph.Message|graph.Derived
	if to == c.ID {
		read, write = graph.System, graph.System|graph.Derived
	}
	c.graph.h.Update(graph.Constant(EventAt(to)), 8, read, write, func(old uint64) (now, result uint64, writes bool) {
		return 1, 0, old == 0
	})
}

// refuse ends the exploration at an access that has no place in a graph.
func (g *graphed) refuse(what string, err error) {
	g.h.Refuse(fmt.Errorf("%s: %s: %w", g.c, what, err))
}

// errMemoryOnly is why threads without objects cannot access any.
var errMemoryOnly = errors.New("expected accesses to memory only")

// errNotModelled is why some things of the hardware cannot be explored.
var errNotModelled = errors.New("it has no place in an execution graph")

// system refuses what needs objects where there are none.
func (g *graphed) system(what string) {
	if g.objects == nil {
		g.refuse(what, errMemoryOnly)
	}
}

// frame are the objects of an access to a device.
func (g *graphed) frame(r *bus.Region, addr uint64, write bool) []Object {
	what := "read of " + r.Name
	if write {
		what = "write to " + r.Name
	}
	g.system(what)
	objects, err := g.objects.Frame(r, addr, write)
	if err != nil {
		g.refuse(what, err)
	}
	return objects
}

// StoreDevice is Memory: the access arrives at some time, after those of the CPU to this device that stand before it.
// It was acknowledged before.
func (g *graphed) StoreDevice(r *bus.Region, addr uint64, size uint8, v uint64, order bus.Order) sim.Time {
	at, value := g.depends(addr, v)
	class := graph.Write | graph.Device | graph.Early | classes[order].write
	g.access(g.frame(r, addr, true), class, func() uint64 {
		return g.c.transact(r, bus.Write, addr, size, v, g.c.proc.Now())
	}, value.With(v, at))
	return g.c.proc.Now()
}

// LoadDevice is Memory.
func (g *graphed) LoadDevice(r *bus.Region, addr uint64, size uint8, order bus.Order) uint64 {
	at, value := g.depends(addr, 0)
	class := graph.Read | graph.Device | classes[order].read
	return g.loaded(g.access(g.frame(r, addr, false), class, func() uint64 {
		return g.c.transact(r, bus.Read, addr, size, 0, g.c.proc.Now())
	}, value.With(0, at)))
}

// ReachSystem is Memory.
func (g *graphed) ReachSystem() { g.system("access to a system register") }

// ReadSys reads a system register: what it shows of objects is read in the graph, and maybe changed.
func (g *graphed) ReadSys(r bits.SysReg) (v uint64, ok bool) {
	regs := g.c.ports.SysRegs
	objects := g.objects.Register(g.c.ID, r, false, 0)
	if len(objects) == 0 {
		v, ok = regs.ReadSys(r)
		g.result = graph.Constant(v)
		return v, ok
	}
	ok = true
	v = g.loaded(g.access(objects, graph.Sampled, func() uint64 {
		v, ok = regs.ReadSys(r)
		return v
	}, graph.Value{}))
	return v, ok
}

// WriteSys writes a system register.
func (g *graphed) WriteSys(r bits.SysReg, v uint64) (ok bool) {
	regs := g.c.ports.SysRegs
	_, value := g.depends(0, v)
	if messages, sends := g.objects.Sends(g.c.ID, r, v); sends {
		for _, m := range messages {
			g.send(m, value)
		}
		return true
	}
	objects := g.objects.Register(g.c.ID, r, true, v)
	if len(objects) == 0 {
		return regs.WriteSys(r, v)
	}
	ok = true
	write := func() { ok = regs.WriteSys(r, v) }
	if g.objects.Own(objects[0]) {
		g.change(objects, write, value)
		return ok
	}
	g.access(objects, graph.System, func() uint64 {
		write()
		return 0
	}, value)
	return ok
}

// send lets a message arrive at some time.
func (g *graphed) send(m Message, uses graph.Value) {
	Deliver(g.h, g.objects, m, graph.Message, uses)
}

// Deliver lets a message arrive, as an operation of a thread: in the order that its class and its wire have there. What
// depends on the result comes after the arrival.
func Deliver(
	h *graph.Handle, objects Objects, m Message, class graph.Class, uses graph.Value,
) (arrived graph.Value) {
	list := objects.Touches(m)
	return h.Access(places(list), class, nil, func(states []uint64) uint64 {
		perform(objects, list, states, func() { objects.Receive(m) })
		return 0
	}, uses.With(m.What))
}

// places is where objects are in a graph.
func places(objects []Object) []uint64 {
	list := make([]uint64, len(objects))
	for i, o := range objects {
		list[i] = ObjectAt(o)
	}
	return list
}

// Perform is an access of a thread that is no CPU to objects.
func Perform(
	h *graph.Handle, objects Objects, list []Object, class graph.Class, do func() uint64, uses graph.Value,
) graph.Value {
	return h.Access(places(list), class, objects.Ready(list[0]), func(states []uint64) (result uint64) {
		perform(objects, list, states, func() { result = do() })
		return result
	}, uses)
}

// perform does something to objects in the states that a graph has there.
func perform(objects Objects, list []Object, states []uint64, do func()) {
	for i, o := range list {
		objects.Put(o, states[i])
	}
	do()
	for i, o := range list {
		states[i] = objects.State(o)
	}
}

// access performs an access to objects, in the states that the graph has there. What the program has to know of the
// CPU's interrupt input follows from the CPU's own object.
func (g *graphed) access(objects []Object, class graph.Class, do func() uint64, uses graph.Value) graph.Value {
	return g.h.Access(places(objects), class, g.objects.Ready(objects[0]), func(states []uint64) (result uint64) {
		in := &g.c.interrupts
		in.level = 0
		g.c.engine.Mute(!g.h.Performing())
		for i, o := range objects {
			if o == Object(g.c.ID) && g.objects.Raised(g.c.ID, states[i]) {
				in.level = 1 << Supervisor
			}
		}
		perform(g.objects, objects, states, func() { result = do() })
		in.level = 0
		return result
	}, uses)
}
