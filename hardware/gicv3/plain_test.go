package gicv3_test

import "github.com/hwscript/hwscript/hardware/arch/gic"

// The plain model is the same state machine written for the reader of IHI 0069, chapter 4, not for speed:
// interrupts are structs in a list, and everything is looked for from scratch. It has one security state and 5
// priority bits.
type plain struct {
	group0, group1 bool // GICD_CTLR
	irqs           []*plainIRQ
	cpus           []*plainCPU
}

// plainIRQ is one interrupt; of an SGI or PPI there is one for each CPU.
type plainIRQ struct {
	id       int
	cpu      int // whose it is, or where an SPI is routed
	priority int
	group1   bool
	enabled  bool
	edge     bool
	latch    bool
	line     bool
	active   bool
}

type plainCPU struct {
	asleep         bool
	mask           int
	bpr0, bpr1     int
	split          bool // EOImode
	group0, group1 bool // IGRPEN
	running0       map[int]bool
	running1       map[int]bool
}

func newPlain(cpus int) *plain {
	p := &plain{}
	for range cpus {
		p.cpus = append(p.cpus, &plainCPU{
			asleep: true, bpr0: 2, bpr1: 3, running0: map[int]bool{}, running1: map[int]bool{},
		})
	}
	return p
}

func (p *plain) find(cpu, id int) *plainIRQ {
	for _, i := range p.irqs {
		if i.id == id && (id >= 32 || i.cpu == cpu) {
			return i
		}
	}
	return nil
}

func (i *plainIRQ) pending() bool { return i.latch || !i.edge && i.line }

func (i *plainIRQ) setLine(level bool) {
	if level && !i.line && i.edge {
		i.latch = true
	}
	i.line = level
}

// highest is what the redistributor presents; nil if nothing.
func (p *plain) highest(cpu int) *plainIRQ {
	c := p.cpus[cpu]
	var best *plainIRQ
	for _, i := range p.irqs {
		through := p.group0 && c.group0
		if i.group1 {
			through = p.group1 && c.group1
		}
		if i.cpu != cpu || c.asleep || !through || !i.pending() || !i.enabled || i.active || i.priority == 0xff {
			continue
		}
		if best == nil || i.priority < best.priority || i.priority == best.priority && i.id < best.id {
			best = i
		}
	}
	return best
}

// groupPriority drops what the binary point leaves to the subpriority.
func (c *plainCPU) groupPriority(priority int, group1 bool) int {
	lowest := c.bpr0 + 1
	if group1 {
		lowest = c.bpr1
	}
	return priority >> lowest << lowest
}

// running is the running priority and its group; 0xff if nothing runs.
func (c *plainCPU) running() (priority int, group1 bool) {
	priority = 0xff
	for q := range c.running1 {
		if q < priority {
			priority, group1 = q, true
		}
	}
	for q := range c.running0 {
		if q <= priority {
			priority, group1 = q, false
		}
	}
	return priority, group1
}

// signalled is the interrupt that the CPU interface signals, nil if none.
func (p *plain) signalled(cpu int) *plainIRQ {
	i, c := p.highest(cpu), p.cpus[cpu]
	if i == nil || i.priority&0xf8 >= c.mask {
		return nil
	}
	running, _ := c.running()
	if running != 0xff && c.groupPriority(i.priority, i.group1) >= c.groupPriority(running, i.group1) {
		return nil
	}
	return i
}

func (p *plain) acknowledge(cpu int, group1 bool) int {
	i, c := p.signalled(cpu), p.cpus[cpu]
	if i == nil || i.group1 != group1 {
		return int(gic.Spurious)
	}
	i.latch, i.active = false, true
	set := c.running0
	if group1 {
		set = c.running1
	}
	set[c.groupPriority(i.priority, group1)&0xf8] = true
	return i.id
}

func (p *plain) end(cpu int, group1 bool, id int) {
	c := p.cpus[cpu]
	running, runs1 := c.running()
	if id >= 1020 || running == 0xff || runs1 != group1 {
		return
	}
	if group1 {
		delete(c.running1, running)
	} else {
		delete(c.running0, running)
	}
	if !c.split {
		p.deactivate(cpu, id)
	}
}

func (p *plain) dir(cpu, id int) {
	if p.cpus[cpu].split {
		p.deactivate(cpu, id)
	}
}

func (p *plain) deactivate(cpu, id int) {
	if i := p.find(cpu, id); i != nil {
		i.active = false
	}
}

// sgi arrives at a CPU.
func (p *plain) sgi(cpu, id int, group1 bool) {
	if i := p.find(cpu, id); i != nil && i.group1 == group1 {
		i.latch = true
	}
}
