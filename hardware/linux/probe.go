package linux

import (
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Probe takes the time of remote calls that wait apart, along the path from the caller and back: the caller up to
// the register write that sends the SGI, the SGI, the callee from the interrupt to its unlock, and the way of the
// unlocked csd back. What a CPU does beside that path, such as the ISB behind the register write, takes no time of
// the call. The parts of a call add up to it exactly.
//
// A Probe follows one call at a time, from one caller.
type Probe struct {
	Calls    uint64
	Caller   cpu.Spent // by kind, up to the register write
	SGI      sim.Time  // from the register write to the interrupt at the callee
	Callee   cpu.Spent // by kind, from the interrupt to the unlock
	HandBack sim.Time  // the unlock drains, and the caller takes the line
	Total    sim.Time  // of the calls, measured from outside

	began, sent, unlocked sim.Time
	before                cpu.Spent
	armed                 bool
}

func (p *Probe) begin(c *cpu.CPU) {
	p.began, p.before, p.armed = c.Now(), c.Spent(), true
}

// ProbeSend tells the probe, if there is one, that the CPU is about to send the interrupt of a call.
func (k *Kernel) ProbeSend(c *cpu.CPU) {
	if k.probe != nil {
		k.probe.send(c)
	}
}

func (p *Probe) send(c *cpu.CPU) {
	if p.armed {
		p.sent = c.Now()
		p.Caller = p.Caller.Add(c.Spent().Sub(p.before))
		p.armed = false
	}
}

func (p *Probe) unlock(c *cpu.CPU) {
	taken, before := c.LastInterrupt()
	p.SGI += taken - p.sent
	p.Callee = p.Callee.Add(c.Spent().Sub(before))
	p.unlocked = c.Now()
}

func (p *Probe) end(c *cpu.CPU) {
	p.Calls++
	p.HandBack += c.Now() - p.unlocked
	p.Total += c.Now() - p.began
}

// A Part of the path.
type Part struct {
	Name string
	Time sim.Time
}

// Parts is the path in its order, without what took no time. The sum of all parts is Total.
func (p *Probe) Parts() []Part {
	var parts []Part
	add := func(name string, t sim.Time) {
		if t != 0 {
			parts = append(parts, Part{name, t})
		}
	}
	add("caller: software", p.Caller[cpu.Software]+p.Caller[cpu.CacheHit])
	add("caller: line transfers", p.Caller[cpu.Transfer])
	add("caller: lines across dies", p.Caller[cpu.TransferDies])
	add("caller: lines across sockets", p.Caller[cpu.TransferSockets])
	add("caller: lines from memory", p.Caller[cpu.TransferMemory])
	add("caller: barrier", p.Caller[cpu.Barrier])
	add("caller: other", p.Caller[cpu.SysReg]+p.Caller[cpu.DeviceTime]+p.Caller[cpu.Exception]+p.Caller[cpu.Waiting])
	add("SGI", p.SGI)
	add("callee: WFI exit, exception entry", p.Callee[cpu.Exception])
	add("callee: software", p.Callee[cpu.Software]+p.Callee[cpu.CacheHit])
	add("callee: ICC registers", p.Callee[cpu.SysReg])
	add("callee: barriers", p.Callee[cpu.Barrier])
	add("callee: line transfers", p.Callee[cpu.Transfer])
	add("callee: lines across dies", p.Callee[cpu.TransferDies])
	add("callee: lines across sockets", p.Callee[cpu.TransferSockets])
	add("callee: lines from memory", p.Callee[cpu.TransferMemory])
	add("callee: other", p.Callee[cpu.DeviceTime]+p.Callee[cpu.Waiting])
	add("hand-back: two line transfers", p.HandBack)
	return parts
}
