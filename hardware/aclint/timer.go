package aclint

import "github.com/hwscript/hwscript/hardware/sim"

// timer is the compare register of a hart: its wire is high while mtime has reached it.
type timer struct {
	port    *port
	pending uint64 // the bit of mip
	channel sim.Channel
	expiry  sim.Event
	timerState
}

type timerState struct {
	compare uint64
	high    bool
}

func (t *timer) init(p *port, name string, pending uint64) {
	t.port, t.pending, t.compare = p, pending, ^uint64(0)
	p.device.engine.Register(&t.channel, name)
}

// mtime counts the engine's time, from where software has set it.
func (d *Device) mtime() uint64 { return d.spec.Freq.At(d.engine.Now()) + d.offset }

func (d *Device) setTime(v, mask uint64) {
	d.offset = d.mtime()&^mask | v&mask - d.spec.Freq.At(d.engine.Now())
	for i := range d.ports {
		if d.ports[i].hart != nil {
			d.ports[i].machine.arm()
			d.ports[i].super.arm()
		}
	}
}

func (d *Device) mtimecmp(id int) uint64 { return d.compare(id, (*port).machineTimer) }

func (d *Device) setMTimecmp(id int, v, mask uint64) { d.setCompare(id, (*port).machineTimer, v, mask) }

func (d *Device) stimecmp(id int) uint64 { return d.compare(id, (*port).superTimer) }

func (d *Device) setSTimecmp(id int, v, mask uint64) { d.setCompare(id, (*port).superTimer, v, mask) }

func (p *port) machineTimer() *timer { return &p.machine }

func (p *port) superTimer() *timer { return &p.super }

func (d *Device) compare(id int, of func(p *port) *timer) uint64 {
	if p := d.of(id); p != nil {
		return of(p).compare
	}
	return 0
}

func (d *Device) setCompare(id int, of func(p *port) *timer, v, mask uint64) {
	if p := d.of(id); p != nil {
		t := of(p)
		t.compare = t.compare&^mask | v&mask
		t.arm()
	}
}

// arm drives the wire, and posts when it rises in place of what was posted before.
func (t *timer) arm() {
	d := t.port.device
	d.engine.Cancel(t.expiry)
	t.expiry = sim.Event{}
	now, count := d.mtime(), d.spec.Freq.At(d.engine.Now())
	high := now >= t.compare
	if left := t.compare - now; !high && count+left > count { // else it is beyond the end of time
		if at := d.spec.Freq.Reaches(count + left); at < sim.EndOfTime {
			t.expiry = d.engine.Post(&t.channel, at, t, 0)
		}
	}
	if high != t.high {
		t.high = high
		t.port.send(t.pending, high)
	}
}

// Fire is the moment at which mtime reaches the compare register.
func (t *timer) Fire(sim.Time, uint64) {
	t.expiry = sim.Event{}
	t.arm()
}
