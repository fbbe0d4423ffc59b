package machine

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// A Recorded device can be explored. Its state stands for the accesses that have led to it, which are repeated when the
// device has to be in that state again: what it knows must come of them alone.
type Recorded interface {
	bus.Device
	// Rewind brings the device to the state in which executions begin.
	Rewind()
	// Fingerprint is a name of the present state: the device answers all accesses alike in states of one name. If it
	// cannot tell, known is false, and each access makes a state of its own, so that N reads of a register come in N!
	// orders.
	Fingerprint() (name string, known bool)
}

// A reporter is a GraphMaster whose work reports to its registers.
type reporter interface {
	// Reported changes the registers as a piece of work says with [MasterPort.Report].
	Reported(v uint64)
}

// graphDevice is a Recorded device as an object: what each access does in each state is kept.
type graphDevice struct {
	region  *bus.Region
	device  Recorded
	sent    *outbox
	present uint64 // the state that the graph wants
	actual  uint64 // the one that the device is in
	sending bool   // what it has sent has not arrived
	queue   uint64 // the work that its master has been given
	states  []deviceState
	names   map[string]uint64
	effects map[deviceStep]deviceEffect
}

// deviceState is how a state was reached first: by an access in another one. The state 0 is reached by nothing.
type deviceState struct {
	before uint64
	access deviceAccess
}

// deviceAccess is an access to a register, or what the device's own work has changed.
type deviceAccess struct {
	write, own    bool
	width         bus.Width
	offset, value uint64
}

// deviceStep is an access in a state.
type deviceStep struct {
	state  uint64
	access deviceAccess
}

// deviceEffect is what an access does.
type deviceEffect struct {
	state  uint64
	result uint64
	ok     bool
	sent   []cpu.Message
}

// newGraphDevice takes the place of a device in the address space, in its present state.
func newGraphDevice(r *bus.Region, d Recorded, sent *outbox) *graphDevice {
	g := &graphDevice{
		region: r, device: d, sent: sent, states: make([]deviceState, 1), names: map[string]uint64{},
		effects: map[deviceStep]deviceEffect{},
	}
	d.Rewind()
	if name, known := d.Fingerprint(); known {
		g.names[name] = 0
	}
	r.Device = g
	return g
}

// ReadReg is bus.Device.
func (g *graphDevice) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	e := g.perform(deviceAccess{width: w, offset: off})
	return e.result, e.ok
}

// WriteReg is bus.Device.
func (g *graphDevice) WriteReg(off uint64, w bus.Width, v uint64) bool {
	return g.perform(deviceAccess{write: true, width: w, offset: off, value: v}).ok
}

// perform makes an access in the present state.
func (g *graphDevice) perform(a deviceAccess) deviceEffect {
	step := deviceStep{g.present, a}
	e, known := g.effects[step]
	if !known {
		e = g.discover(a)
		g.effects[step] = e
	}
	for _, m := range e.sent {
		g.sent.present = g.sent.extend(g.sent.present, m)
	}
	g.sending = g.sending || len(e.sent) > 0
	g.present = e.state
	return e
}

// discover makes an access for the first time in a state.
func (g *graphDevice) discover(a deviceAccess) (e deviceEffect) {
	list, open := g.sent.present, g.sent.open
	g.reach(g.present)
	g.sent.begin(0)
	e.result, e.ok = g.access(a)
	e.sent = g.sent.lists[g.sent.present]
	g.sent.present, g.sent.open = list, open
	e.state = g.number(a)
	g.actual = e.state
	return e
}

func (g *graphDevice) access(a deviceAccess) (uint64, bool) {
	if a.own {
		g.device.(reporter).Reported(a.value)
		return 0, true
	}
	if a.write {
		return 0, g.device.WriteReg(a.offset, a.width, a.value)
	}
	return g.device.ReadReg(a.offset, a.width)
}

// number is that of the state in which an access has left the device.
func (g *graphDevice) number(a deviceAccess) uint64 {
	name, named := g.device.Fingerprint()
	if named {
		if n, known := g.names[name]; known {
			return n
		}
	}
	n := uint64(len(g.states))
	g.states = append(g.states, deviceState{g.present, a})
	if named {
		g.names[name] = n
	}
	return n
}

// reach brings the device into a state, by repeating what has led to it. What it sends on the way was sent before.
func (g *graphDevice) reach(state uint64) {
	if g.actual == state {
		return
	}
	var way []deviceAccess
	for s := state; s != 0; s = g.states[s].before {
		way = append(way, g.states[s].access)
	}
	g.device.Rewind()
	g.sent.begin(0)
	for i := len(way) - 1; i >= 0; i-- {
		g.access(way[i])
	}
	g.actual = state
}
