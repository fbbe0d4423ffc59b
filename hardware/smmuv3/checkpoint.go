package smmuv3

// A Checkpoint is all state of an SMMU in which nothing is in flight.
type Checkpoint struct {
	r         registers
	consumer  consumerState
	tlb       tlb
	caches    caches
	atcFailed bool
	tag       int
	stats     Stats
}

// Save takes a checkpoint.
func (s *SMMU) Save() *Checkpoint {
	c := &Checkpoint{
		r: s.r, consumer: s.cmdq.state, tlb: s.tlb, atcFailed: s.atc.failed, tag: s.flight.tag, stats: s.stats,
	}
	c.tlb.entries = append([]tlbEntry(nil), s.tlb.entries...)
	c.caches.init(s.spec.ConfigEntries)
	c.caches.assign(&s.caches)
	return c
}

// Restore puts the SMMU back to where it was saved. Wires are not driven.
func (s *SMMU) Restore(c *Checkpoint) {
	s.Reset()
	entries := s.tlb.entries
	copy(entries, c.tlb.entries)
	s.r, s.tlb, s.stats = c.r, c.tlb, c.stats
	s.tlb.entries = entries
	s.cmdq.state, s.atc.failed, s.flight.tag = c.consumer, c.atcFailed, c.tag
	s.caches.assign(&c.caches)
}

// assign copies all of other caches of the same size.
func (c *caches) assign(from *caches) {
	copy(c.l1std, from.l1std)
	copy(c.ste, from.ste)
	copy(c.l1cd, from.l1cd)
	copy(c.cd, from.cd)
}
