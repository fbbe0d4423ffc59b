package machine

import (
	"errors"
	"fmt"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/graph"
)

// armObjects are the objects of an Arm board: the parts of the GIC, then the timers of each PE, then the wires.
type armObjects struct {
	*outbox
	board  *ArmBoard
	gic    *gicv3.States
	timers []numbering[arm.TimerState] // by number of the object
	expire bool                        // they do
}

// numbering gives states numbers.
type numbering[T comparable] struct {
	list  []T
	index map[T]uint64
}

// of is the number of a state.
func (n *numbering[T]) of(state T) uint64 {
	number, known := n.index[state]
	if !known {
		if n.index == nil {
			n.index = map[T]uint64{}
		}
		number = uint64(len(n.list))
		n.list, n.index[state] = append(n.list, state), number
	}
	return number
}

// graphObjects is graphBoard.
func (b *ArmBoard) graphObjects(sent *outbox) boardObjects {
	a := &armObjects{
		outbox: sent, board: b, gic: gicv3.NewStates(b.gic.GIC),
		timers: make([]numbering[arm.TimerState], len(b.cores)*arm.Timers),
	}
	b.states = a.gic
	a.gic.Catch(func(w gicv3.Wire, level bool) {
		a.send(cpu.Message{To: wireMessage, What: uint64(w)<<1 | choose[uint64](level, 1, 0)})
	}, func(to int, message uint64) {
		a.send(cpu.Message{To: to, What: message})
	}, func() { (*graph.Handle)(nil).Refuse(errChosen) }, func() { (*graph.Handle)(nil).Refuse(errLPIs) })
	for i := range a.timers {
		pe, number := a.timer(a.firstTimer() + cpu.Object(i))
		a.timers[i].of(pe.TimerState(number))
	}
	return a
}

// errChosen is why an exploration ends at an interrupt that any of several PEs may take.
var errChosen = errors.New("a 1-of-N interrupt that more than one PE may take: which does is the implementation's " +
	"choice, and only one would be explored; expected GICD_IROUTER to name a PE, or one participant")

// errLPIs is why an exploration ends at an LPI.
var errLPIs = errors.New("LPIs by registers of a redistributor, changes of its LPI tables, and more than a few " +
	"pending LPIs are not explored: expected commands of the ITS")

func choose[T any](on bool, yes, no T) T {
	if on {
		return yes
	}
	return no
}

// wireMessage marks the message of a wire, which goes to no PE.
const wireMessage = -1

func (a *armObjects) firstTimer() cpu.Object { return cpu.Object(a.gic.Distributor()) + 1 }

// firstWire is behind all other objects of any machine.
const firstWire cpu.Object = 1 << 40

// Count is boardObjects.
func (a *armObjects) Count() cpu.Object { return a.firstTimer() + cpu.Object(len(a.timers)) }

// timer is the timer that an object is.
func (a *armObjects) timer(o cpu.Object) (pe *arm.PE, number int) {
	i := int(o - a.firstTimer())
	return a.board.PE(i / arm.Timers), i % arm.Timers
}

// Put is cpu.Objects.
func (a *armObjects) Put(o cpu.Object, state uint64) {
	switch {
	case o >= firstWire: // in no state of its own: it orders what arrives
	case o < a.firstTimer():
		a.gic.Put(int(o), state)
	default:
		pe, number := a.timer(o)
		pe.SetTimerState(number, a.timers[o-a.firstTimer()].list[state])
		a.begin(0)
	}
}

// State is cpu.Objects.
func (a *armObjects) State(o cpu.Object) uint64 {
	switch {
	case o >= firstWire:
		return 0
	case o < a.firstTimer():
		return a.gic.State(int(o))
	}
	pe, number := a.timer(o)
	state := pe.TimerState(number)
	if state.Due() && !a.expire {
		(*graph.Handle)(nil).Refuse(fmt.Errorf("%s: %w", pe, ErrTimers))
	}
	return a.timers[o-a.firstTimer()].of(state)
}

// Raised is cpu.Objects.
func (a *armObjects) Raised(cpu int, state uint64) bool { return a.gic.Raised(cpu, state) }

// Own is cpu.Objects.
func (a *armObjects) Own(o cpu.Object) bool { return o >= a.firstTimer() && o < a.Count() }

// UseTimers is boardObjects.
func (a *armObjects) UseTimers() { a.expire = true }

// Started is boardObjects.
func (a *armObjects) Started(pe int) error {
	for number := range arm.Timers {
		if a.timers[pe*arm.Timers+number].list[0].Due() && !a.expire {
			return fmt.Errorf("CPU%d: %w", pe, ErrTimers)
		}
	}
	return nil
}

// Alarms is cpu.Objects.
func (a *armObjects) Alarms(pe int) (list []cpu.Alarm) {
	if !a.expire {
		return nil
	}
	for number := range arm.Timers {
		i := pe*arm.Timers + number
		list = append(list, cpu.Alarm{
			Object: a.firstTimer() + cpu.Object(i),
			Due:    func(state uint64) bool { return a.timers[i].list[state].Due() },
			Expire: func() { a.board.PE(pe).ExpireTimer(number) },
		})
	}
	return list
}

// objects are parts of the GIC as objects.
func objects(parts []int, before ...cpu.Object) []cpu.Object {
	list := before
	for _, p := range parts {
		list = append(list, cpu.Object(p))
	}
	return list
}

// Register is cpu.Objects.
func (a *armObjects) Register(pe int, r bits.SysReg, write bool, v uint64) []cpu.Object {
	if number, ok := arm.TimerOf(r); ok {
		return []cpu.Object{a.firstTimer() + cpu.Object(pe*arm.Timers+number)}
	}
	return objects(a.gic.Register(pe, r, write, v))
}

// Frame is boardObjects.
func (a *armObjects) Frame(r *bus.Region, addr uint64, write bool) ([]cpu.Object, bool) {
	parts, ok := a.gic.Frame(r.Device, addr-uint64(r.Base), write)
	return objects(parts), ok
}

// Sends is cpu.Objects.
func (a *armObjects) Sends(pe int, r bits.SysReg, v uint64) ([]cpu.Message, bool) {
	to, messages, sends := a.gic.Sends(pe, r, v)
	list := make([]cpu.Message, len(to))
	for i := range to {
		list[i] = cpu.Message{To: to[i], What: messages[i]}
	}
	return list, sends
}

// Touches is cpu.Objects. Levels of one wire arrive in order: it comes first.
func (a *armObjects) Touches(m cpu.Message) []cpu.Object {
	if m.To == wireMessage {
		w := gicv3.Wire(m.What >> 1)
		return objects(a.gic.Wired(w), firstWire+cpu.Object(w>>16|w&0xffff))
	}
	return objects(a.gic.Received(m.To, m.What))
}

// Receive is cpu.Objects.
func (a *armObjects) Receive(m cpu.Message) {
	if m.To == wireMessage {
		a.gic.Drive(gicv3.Wire(m.What>>1), m.What&1 != 0)
		return
	}
	a.gic.Receive(m.To, m.What)
}
