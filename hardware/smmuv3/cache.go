package smmuv3

import "github.com/hwscript/hwscript/hardware/arch/smmu"

// A structure is a structure in memory as a cache has it.
type structure struct {
	valid  bool
	stream uint32 // of a level 1 stream table descriptor: the first StreamID that it stands for
	sub    uint32 // of CDs and their level 1 descriptors: the first SubstreamID
	words  [8]uint64
}

// structureCache is a cache of one kind of structure, with one place for each.
type structureCache []structure

func (c structureCache) place(stream, sub uint32) *structure {
	const spread = 0x9e3779b1
	return &c[(stream*spread+sub*0x85ebca6b)>>8&uint32(len(c)-1)]
}

// find is what is cached, nil if it is not there.
func (c structureCache) find(stream, sub uint32) *structure {
	if e := c.place(stream, sub); e.valid && e.stream == stream && e.sub == sub {
		return e
	}
	return nil
}

// put caches words.
func (c structureCache) put(stream, sub uint32, words *[8]uint64) {
	*c.place(stream, sub) = structure{valid: true, stream: stream, sub: sub, words: *words}
}

// caches are those of configuration structures. IHI 0070, 16.2: each kind for itself.
type caches struct {
	l1std, ste, l1cd, cd structureCache
}

func (c *caches) init(entries int) {
	c.l1std, c.ste = make(structureCache, entries), make(structureCache, entries)
	c.l1cd, c.cd = make(structureCache, entries), make(structureCache, entries)
}

func (c *caches) clear() {
	for _, k := range [...]structureCache{c.l1std, c.ste, c.l1cd, c.cd} {
		clear(k)
	}
}

// invalidate drops what a command names: an STE with the CDs that were found by it; with Leaf 0 the level 1 descriptor
// on the way to it. IHI 0070, 4.3.
func (c *caches) invalidate(x *cfgInvalidation, s *SMMU) (dropped int) {
	drop := func(k structureCache, named func(e *structure) bool) {
		for i := range k {
			if e := &k[i]; e.valid && named(e) {
				e.valid = false
				dropped++
			}
		}
	}
	stream := func(e *structure) bool { return x.names(e.stream) }
	switch x.op {
	case smmu.CMD_CFGI_STE, smmu.CMD_CFGI_STE_RANGE:
		drop(c.ste, stream)
		drop(c.cd, stream)
		drop(c.l1cd, stream)
		if !x.leaf {
			covered := uint32(1)<<s.streamTable().split - 1
			drop(c.l1std, func(e *structure) bool { return e.stream <= x.last && e.stream|covered >= x.first })
		}
	case smmu.CMD_CFGI_CD_ALL:
		drop(c.cd, stream)
		drop(c.l1cd, stream)
	case smmu.CMD_CFGI_CD:
		drop(c.cd, func(e *structure) bool { return stream(e) && e.sub == x.substream })
		if !x.leaf { // whatever the size of the leaf table was
			const largest = 1<<smmu.L2CDs64K - 1
			drop(c.l1cd, func(e *structure) bool { return stream(e) && e.sub <= x.substream && e.sub|largest >= x.substream })
		}
	}
	return dropped
}
