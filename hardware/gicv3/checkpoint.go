package gicv3

// A Checkpoint is all state of a GIC in which nothing is in flight.
type Checkpoint struct {
	dist    distributorState
	redists []redistributorCheckpoint
	epoch   uint32
	sent    []uint64 // on the wires that were in use
}

type redistributorCheckpoint struct {
	redistributorState
	cpu   interfaceState
	stats Stats
	lpis  lpiState
}

// Save takes a checkpoint.
func (g *GIC) Save() *Checkpoint {
	c := &Checkpoint{redists: make([]redistributorCheckpoint, len(g.redists)), epoch: g.epoch}
	c.dist.assign(&g.dist.distributorState)
	for i := range g.redists {
		r := &g.redists[i]
		c.redists[i] = redistributorCheckpoint{
			redistributorState: r.redistributorState, cpu: r.cpu.interfaceState, stats: r.stats,
		}
		if r.lpis != nil {
			c.redists[i].lpis.assign(&r.lpis.lpiState)
		}
	}
	for _, w := range g.used {
		c.sent = append(c.sent, w.sent)
	}
	return c
}

// Restore puts the GIC back to where it was saved. Its outputs are not driven: the PEs are restored with it.
func (g *GIC) Restore(c *Checkpoint) {
	g.epoch, g.dirty = c.epoch, g.dirty[:0]
	if g.dist.changed {
		g.dist.assign(&c.dist)
		g.dist.changed = false
	}
	for i := range g.redists {
		r, s := &g.redists[i], &c.redists[i]
		r.redistributorState, r.cpu.interfaceState, r.stats = s.redistributorState, s.cpu, s.stats
		if r.lpis != nil {
			r.lpis.assign(&s.lpis)
		}
	}
	for i, w := range g.used {
		w.sent = 0
		if i < len(c.sent) {
			w.sent = c.sent[i]
		}
	}
}

// assign copies all of a state.
func (d *distributorState) assign(from *distributorState) {
	d.enabled, d.offered, d.rwp = from.enabled, from.offered, from.rwp
	d.sleep, d.quiescent = from.sleep, from.quiescent
	d.banks = append(d.banks[:0], from.banks...)
	d.priority = append(d.priority[:0], from.priority...)
	d.router = append(d.router[:0], from.router...)
	d.target = append(d.target[:0], from.target...)
	d.candidates = append(d.candidates[:0], from.candidates...)
}

// assign copies all of a state.
func (l *lpiState) assign(from *lpiState) {
	l.pending = append(l.pending[:0], from.pending...)
	l.cache = append(l.cache[:0], from.cache...)
}

// Unanswered is a PE, and an SGI, PPI or LPI that is pending there and that nothing keeps it from taking but its
// priority mask; false if there is none.
func (g *GIC) Unanswered() (cpu, intid int, found bool) {
	for i := range g.redists {
		r := &g.redists[i]
		set := r.bank.latch & r.bank.candidates() & r.let().mask(r.bank.group)
		if r.awake() && set != 0 {
			return i, popLowest(&set), true
		}
		if r.awake() && r.bestLPI != 0 && r.let().group1 {
			return i, int(r.bestLPI.id()), true
		}
	}
	return 0, 0, false
}
