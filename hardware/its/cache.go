package its

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The caches of the ITS, by what they keep entries of.
const (
	deviceCache = iota
	eventCache
	collectionCache

	caches
)

// A cache keeps entries that were read, each in the place that its key is hashed to.
type cache struct{ entries []kept }

// kept is an entry. A free place has no valid entry: what is not mapped is not kept.
type kept struct{ key, entry uint64 }

// slot is the place of a key, nil if there are none.
func (c *cache) slot(key uint64) *kept {
	if len(c.entries) == 0 {
		return nil
	}
	return &c.entries[sim.Mix(key)%uint64(len(c.entries))]
}

// find answers an entry that is kept.
func (c *cache) find(key uint64) (entry uint64, found bool) {
	if k := c.slot(key); k != nil && k.key == key && k.entry != 0 {
		return k.entry, true
	}
	return 0, false
}

// fill keeps an entry that was read, if it maps something.
func (c *cache) fill(key, entry uint64) {
	if k := c.slot(key); k != nil && entry != 0 {
		*k = kept{key, entry}
	}
}

// update changes an entry that is kept.
func (c *cache) update(key, entry uint64) {
	if k := c.slot(key); k != nil && k.key == key && k.entry != 0 {
		k.entry = entry
	}
}

// forgetDevice takes out the events of a device.
func (c *cache) forgetDevice(device uint32) {
	for n := range c.entries {
		if uint32(c.entries[n].key>>32) == device {
			c.entries[n] = kept{}
		}
	}
}

// keep lets the ITS keep an entry that it has read.
func (i *ITS) keep(which, number int, key, entry uint64) {
	if i.spec.CacheByHint && table(i.baser[number]).attr().Inner&bus.ReadAllocate == 0 {
		return
	}
	i.caches[which].fill(key, entry)
}

// forgetAll empties all caches.
func (i *ITS) forgetAll() {
	for n := range i.caches {
		clear(i.caches[n].entries)
	}
}
