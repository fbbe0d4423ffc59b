package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// tlbInput is the address as TLBs have it: with the upper half of the space apart from the lower.
func (t *translation) tlbInput() uint64 {
	if t.hasCD && t.half == 1 {
		return t.walkInput | ^uint64(0)<<t.one.InputBits
	}
	return t.walkInput
}

// finish keeps and uses what the walk has found. Nothing is kept while SMMUEN is 0.
func (t *translation) finish(s *SMMU) {
	var one, two *mmu.Stage
	if t.hasCD {
		one = &t.one
	}
	if t.space.two {
		two = &t.two
	}
	e := entryOf(t.tlbInput(), t.space, one, two, &t.walk, t.cd[3])
	if !t.tainted && !t.inspect && s.on(smmu.SMMU_CR0_SMMUEN) {
		s.tlb.insert(e)
	}
	t.use(s, &e)
}

// use makes the access by a translation, if that permits it.
func (t *translation) use(s *SMMU, e *tlbEntry) {
	needs := t.access.Needs()
	if t.modify {
		needs |= mmu.Access{Privileged: t.access.Privileged}.Needs()
	}
	if e.perm&needs != needs {
		second := t.permissionOf2(e, needs)
		if t.fault(s, smmu.F_PERMISSION, second); second {
			t.event.fetch, t.event.class = e.ipa|t.walkInput&(1<<e.shift-1)&^0xfff, smmu.ClassIN
		}
		return
	}
	t.phase, t.leaf = translated, e.leaf
	t.output = e.output | t.input.addr&(1<<e.shift-1)
	switch m := e.memory; {
	case t.hasCD && t.space.two:
		t.outAttr = weaker(mair(m.one, uint64(m.oneShare)), fourBits(uint64(m.two), uint64(m.twoShare)))
	case t.hasCD:
		t.outAttr = mair(m.one, uint64(m.oneShare))
	default:
		t.outAttr = weaker(t.override(), fourBits(uint64(m.two), uint64(m.twoShare)))
	}
	t.outAttr.Privileged = t.access.Privileged
}

// permissionOf2 reports whether it is stage 2 that does not permit an access.
func (t *translation) permissionOf2(e *tlbEntry, needs mmu.Perm) bool {
	return t.space.two && (!t.hasCD || e.perm2&needs != needs)
}

// bypass lets the transaction pass with its own address, or the IPA that stage 1 leaves as it is.
func (t *translation) bypass(s *SMMU) {
	if t.input.addr>>s.spec.OAS.Bits() != 0 {
		t.end(smmu.F_ADDR_SIZE)
		t.event.class = smmu.ClassIN
		t.describe()
		return
	}
	t.outAttr = t.override()
	t.outAttr.Privileged = t.access.Privileged
	t.phase, t.output = translated, t.input.addr
}

// override is the incoming attributes as the STE changes them.
func (t *translation) override() bus.Attr {
	a, e := t.input.attr, &t.ste
	if smmu.STE1_MTCFG.Is(e[1]) {
		a = fourBits(smmu.STE1_MemAttr.Get(e[1]), shareOf(a))
	}
	if share := smmu.STE1_SHCFG.Get(e[1]); share != incomingShare {
		a.Shareability = domain(share)
	}
	return a
}
