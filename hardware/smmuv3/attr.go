package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
)

// device are the attributes of Device memory: not cacheable, outer-shareable.
var device = bus.Attr{Shareability: bus.OuterShareable}

// domain is a shareability field; its reserved value counts as 0.
func domain(v uint64) bus.Domain {
	switch smmu.Shareability(v) {
	case smmu.OuterShareable:
		return bus.OuterShareable
	case smmu.InnerShareable:
		return bus.InnerShareable
	}
	return bus.NonShareable
}

// tableCache is a cacheability field of CR1, a CD or an STE. What does not tell the allocation hints has both.
func tableCache(v uint64) bus.Cacheability {
	switch smmu.TableCache(v) {
	case smmu.CacheWB:
		return bus.WriteBack | bus.ReadAllocate | bus.WriteAllocate
	case smmu.CacheWT:
		return bus.WriteThrough | bus.ReadAllocate
	case smmu.CacheWBRA:
		return bus.WriteBack | bus.ReadAllocate
	}
	return bus.NonCacheable
}

// ownAccess are the attributes of an access that the SMMU makes by itself. Without COHACC it does not snoop.
func (s *SMMU) ownAccess(inner, outer, share uint64) bus.Attr {
	a := normal(tableCache(inner), tableCache(outer), share)
	a.Privileged = true
	if !s.spec.Coherent && (a.Inner.Cacheable() || a.Outer.Cacheable()) {
		a.Shareability = bus.NonShareable
	}
	return a
}

// queueAccess are the attributes of accesses to queues. hint is that of the base register, which takes an allocation
// hint away.
func (s *SMMU) queueAccess(base uint64) bus.Attr {
	a := s.ownAccess(smmu.SMMU_CR1_QUEUE_IC.Get(s.r.cr1), smmu.SMMU_CR1_QUEUE_OC.Get(s.r.cr1),
		smmu.SMMU_CR1_QUEUE_SH.Get(s.r.cr1))
	if !smmu.SMMU_CMDQ_BASE_RA.Is(base) {
		a.Inner &^= bus.ReadAllocate | bus.WriteAllocate
		a.Outer &^= bus.ReadAllocate | bus.WriteAllocate
	}
	return a
}

// fourBits is a memory type in the four bits of STE.MemAttr, of stage 2 descriptors and of MSIs: outer and inner, each
// 1 not cacheable, 2 write-through, 3 write-back; outer 0 for Device.
func fourBits(v, share uint64) bus.Attr {
	policy := [4]bus.Cacheability{
		bus.NonCacheable, bus.NonCacheable, bus.WriteThrough | bus.ReadAllocate,
		bus.WriteBack | bus.ReadAllocate | bus.WriteAllocate,
	}
	if v>>2 == 0 {
		return device
	}
	return normal(policy[v&3], policy[v>>2&3], share)
}

// mair is a memory type in the eight bits of MAIR: outer and inner, each four.
func mair(v uint8, share uint64) bus.Attr {
	if v>>4 == 0 {
		return device
	}
	return normal(mairHalf(v&0xf), mairHalf(v>>4), share)
}

// normal are the attributes of Normal memory: what nobody caches is outer-shareable.
func normal(inner, outer bus.Cacheability, share uint64) bus.Attr {
	a := bus.Attr{Inner: inner, Outer: outer, Shareability: domain(share)}
	if !a.Inner.Cacheable() && !a.Outer.Cacheable() {
		a.Shareability = bus.OuterShareable
	}
	return a
}

// mairHalf: 4 is not cacheable; bit 2 is write-back, and with bits 3 and 2 clear it is transient; bits 1 and 0 are the
// hints.
func mairHalf(v uint8) bus.Cacheability {
	if v == 4 {
		return bus.NonCacheable
	}
	c := bus.WriteThrough
	if v&4 != 0 {
		c = bus.WriteBack
	}
	if v&2 != 0 {
		c |= bus.ReadAllocate
	}
	if v&1 != 0 {
		c |= bus.WriteAllocate
	}
	return c
}

// weaker joins the attributes of two stages: the less cacheable, the more shareable. DDI 0487, D8.6.
func weaker(a, b bus.Attr) bus.Attr {
	a.Inner, a.Outer = lessCached(a.Inner, b.Inner), lessCached(a.Outer, b.Outer)
	a.Shareability = max(a.Shareability, b.Shareability)
	return a
}

func lessCached(a, b bus.Cacheability) bus.Cacheability {
	const policy = bus.WriteThrough | bus.WriteBack
	if a&policy > b&policy {
		return b
	}
	return a
}
