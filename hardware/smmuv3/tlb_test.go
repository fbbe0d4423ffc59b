package smmuv3

import (
	"math/rand"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
)

// The TLB against a list in which every entry is looked at, for random translations and invalidations: what the list no
// longer has, the TLB does not give, and what it gives is what the list has. The TLB alone may forget.
func TestTLBAgainstList(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	spec := DefaultSpec()
	spec.RIL = true
	s := &SMMU{spec: spec}
	hits, drops := 0, 0
	for range 300 {
		var small tlb
		small.init(8, 2)
		var list []tlbEntry
		for range 200 {
			sp := space{one: rng.Intn(8) > 0, two: rng.Intn(4) == 0, vmid: uint16(rng.Intn(2)), asid: uint16(rng.Intn(3))}
			sp.two = sp.two || !sp.one
			shift := []uint8{12, 16, 21}[rng.Intn(3)]
			input := uint64(rng.Intn(1<<10)) << 12
			switch rng.Intn(3) {
			case 0:
				e := tlbEntry{
					input: input &^ (1<<shift - 1), output: rng.Uint64() &^ 0xfff, space: sp, shift: shift, leaf: shift, valid: true,
					global: rng.Intn(4) == 0,
				}
				if rng.Intn(4) == 0 {
					e.leaf = 21
				}
				list = append(forget(list, func(o *tlbEntry) bool { return o.serves(e.input, &sp) && o.shift == shift }), e)
				small.insert(e)
			case 1:
				e := small.find(input, &sp)
				if e == nil {
					continue
				}
				hits++
				found := false
				for i := range list {
					o := &list[i]
					found = found || o.serves(input, &sp) && o.output == e.output && o.shift == e.shift
				}
				if !found {
					t.Fatalf("0x%x: %+v, which was dropped", input, e)
				}
			default:
				c := command{uint64([]smmu.Opcode{
					smmu.CMD_TLBI_NH_ALL, smmu.CMD_TLBI_NH_ASID, smmu.CMD_TLBI_NH_VA, smmu.CMD_TLBI_NH_VAA,
					smmu.CMD_TLBI_S12_VMALL, smmu.CMD_TLBI_S2_IPA,
				}[rng.Intn(6)]), input}
				c[0] |= uint64(rng.Intn(2))<<32 | uint64(rng.Intn(3))<<48
				if rng.Intn(3) == 0 {
					c[0], c[1] = c[0]|uint64(rng.Intn(32))<<12|uint64(rng.Intn(3))<<20, c[1]|1<<10
				}
				x := s.decodeTLBI(c)
				before := len(list)
				list = forget(list, func(o *tlbEntry) bool { return x.names(&o.space, o.global) && x.covers(o.input, o.leaf) })
				small.invalidate(&x)
				drops += before - len(list)
			}
		}
	}
	if hits < 1000 || drops < 1000 {
		t.Errorf("%d hits and %d drops: too few to show anything", hits, drops)
	}
}

// forget leaves the entries that do not match.
func forget(list []tlbEntry, match func(o *tlbEntry) bool) (left []tlbEntry) {
	for i := range list {
		if !match(&list[i]) {
			left = append(left, list[i])
		}
	}
	return left
}
