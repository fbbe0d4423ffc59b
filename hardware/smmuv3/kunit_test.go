package smmuv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// T10: the cases of Linux's arm-smmu-v3-kunit-test. An entry is changed as arm_smmu_write_entry does: bits that are not
// used by what stands there first, then the one word that decides, then the rest, with an invalidation and a CMD_SYNC
// behind each; where two words decide, the entry is made invalid between. Here the judge is the SMMU: whatever it reads
// between two steps, a transaction must be treated as by the old entry or by the new one.
type kunitCase struct {
	name     string
	from, to [4]uint64
	syncs    int
	hitless  bool
}

// The entries of the test.
var (
	kunitBypass  = [4]uint64{steBypass, steUseIncoming}
	kunitAbort   = [4]uint64{steAbort}
	kunitCDTable = [4]uint64{steStage1 | contexts | 2<<59, 2 | steCache}
	kunitS1DSS   = [4]uint64{steStage1 | contexts | 2<<59, 1 | steCache | steUseIncoming}
	kunitOther   = [4]uint64{steStage1 | (contexts + 0x8000) | 2<<59, 1 | steCache}
	kunitS2      = [4]uint64{steStage2, steUseIncoming, s2Form, tables2}
)

// usedBits are the bits of an STE that count for what it is.
func usedBits(e *[4]uint64) (used [4]uint64) {
	used[0] = uint64(smmu.STE0_V)
	if !smmu.STE0_V.Is(e[0]) {
		return used
	}
	used[0] |= uint64(smmu.STE0_Config)
	config := smmu.STEConfig(smmu.STE0_Config.Get(e[0]))
	if config == smmu.ConfigBypass {
		used[1] |= uint64(smmu.STE1_SHCFG)
	}
	if config&5 == 5 {
		used[0] |= uint64(smmu.STE0_S1Fmt | smmu.STE0_S1ContextPtr | smmu.STE0_S1CDMax)
		used[1] |= uint64(smmu.STE1_S1DSS | smmu.STE1_S1CIR | smmu.STE1_S1COR | smmu.STE1_S1CSH | smmu.STE1_S1STALLD |
			smmu.STE1_STRW | smmu.STE1_EATS)
		used[2] |= uint64(smmu.STE2_S2VMID)
		if smmu.DefaultSubstream(smmu.STE1_S1DSS.Get(e[1])) == smmu.DSSBypass {
			used[1] |= uint64(smmu.STE1_SHCFG)
		}
	}
	if config&6 == 6 {
		used[1] |= uint64(smmu.STE1_EATS | smmu.STE1_SHCFG)
		used[2] |= ^uint64(smmu.STE2_S2HA | smmu.STE2_S2HD)
		used[3] |= uint64(smmu.STE3_S2TTB)
	}
	return used
}

// writer changes an entry and counts the CMD_SYNCs.
type writer struct {
	bed     *testbed
	entry   [4]uint64
	syncs   int
	invalid bool // V was 0 at some time
	check   func()
}

// set writes some words, and if that changes anything makes the SMMU see them. Between the words it may look as well.
func (w *writer) set(first, last int, target *[4]uint64) {
	changed := false
	for i := last - 1; i >= first; i-- {
		if w.entry[i] != target[i] {
			w.entry[i], changed = target[i], true
			w.bed.setSTE(stream, w.entry[:]...)
			w.check()
		}
	}
	if !changed {
		return
	}
	w.syncs++
	w.bed.sync(two(cfgiSTE(stream))...)
	w.invalid = w.invalid || !smmu.STE0_V.Is(w.entry[0])
	w.check()
}

// change is arm_smmu_write_entry.
func (w *writer) change(target [4]uint64) {
	now, then := usedBits(&w.entry), usedBits(&target)
	unused, critical, differ := w.entry, 0, 0
	for i := range unused {
		unused[i] = w.entry[i]&now[i] | target[i]&^now[i]
		if then[i]&(unused[i]^target[i]) != 0 {
			critical, differ = i, differ+1
		}
	}
	switch differ {
	case 0:
		w.set(0, 4, &target)
	case 1:
		unused[critical] = w.entry[critical]
		w.set(0, 4, &unused)
		w.set(critical, critical+1, &target)
		w.set(0, 4, &target)
	default:
		unused[0] = 0
		w.set(0, 1, &unused)
		w.set(1, 4, &target)
		w.set(0, 1, &target)
	}
}

// treats is what becomes of a transaction: where it ends, or with which event.
func (t *testbed) treats(iova uint64) string {
	t.Helper()
	result, v := t.access(bus.Read, iova, 8, 0)
	if result == smmuv3.Performed {
		return map[uint64]string{1: "bypass", 2: "stage 1", 3: "stage 2", 4: "other stage 1"}[v]
	}
	if t.read(smmu.SMMU_EVENTQ_PROD)<<1 == t.read(smmu.SMMU_EVENTQ_CONS)<<1 {
		return "abort"
	}
	return smmuv3.EventName(smmu.EventID(t.event()[0] & 0xff))
}

func TestT10KUnit(t *testing.T) {
	var cases []kunitCase
	for _, c := range []kunitCase{
		{"bypass, abort", kunitBypass, kunitAbort, 2, true},
		{"cdtable, abort", kunitCDTable, kunitAbort, 2, true},
		{"s2, abort", kunitS2, kunitAbort, 2, true},
		{"s2, bypass", kunitS2, kunitBypass, 2, true},
		{"cdtable, bypass", kunitCDTable, kunitBypass, 3, true},
		{"s1, s2", kunitCDTable, kunitS2, 3, true},
		{"s1dssbypass, stebypass", kunitS1DSS, kunitBypass, 2, true},
	} {
		cases = append(cases, c, kunitCase{c.name + ", back", c.to, c.from, c.syncs, c.hitless})
	}
	cases = append(cases,
		kunitCase{"s1dss change", kunitCDTable, kunitS1DSSOf(kunitCDTable), 1, true},
		kunitCase{"s1dss change, back", kunitS1DSSOf(kunitCDTable), kunitCDTable, 1, true},
		kunitCase{"non hitless", kunitCDTable, kunitOther, 3, false},
	)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			spec := timed()
			bed := newTestbed(t, spec)
			bed.boot()
			// One address, which each configuration takes elsewhere.
			const iova = buffers
			bed.poke(buffers, 1)
			bed.poke(buffers+0x1000, 2)
			bed.poke(buffers+0x20_0000, 3)
			bed.poke(buffers+0x2000, 4)
			wide := uint64(cdBase)
			bed.poke(contexts, wide|1<<48, tables, 0, mair)
			bed.poke(contexts+0x8000, wide|2<<48, tables+0x40_0000, 0, mair)
			bed.mapPage(tables, iova, (buffers+0x1000)|pageRW)
			bed.mapPage(tables+0x40_0000, iova, (buffers+0x2000)|pageRW)
			bed.block(iova, buffers+0x20_0000, s2Page)

			w := &writer{bed: bed, entry: c.from, check: func() {}}
			bed.setSTE(stream, w.entry[:]...)
			bed.sync(two(cfgiSTE(stream))...)
			before := bed.treats(iova)
			seen := map[string]bool{}
			w.check = func() { seen[bed.treats(iova)] = true }
			w.change(c.to)
			after := bed.treats(iova)
			if w.syncs != c.syncs {
				t.Errorf("%d CMD_SYNCs, expected %d", w.syncs, c.syncs)
			}
			if w.entry != c.to {
				t.Errorf("the entry is %x", w.entry)
			}
			if w.invalid == c.hitless {
				t.Errorf("the entry was invalid at some time: %v", w.invalid)
			}
			for what := range seen {
				if what != before && what != after && !(what == "C_BAD_STE" && !c.hitless) {
					t.Errorf("seen as %q between %q and %q", what, before, after)
				}
			}
			if before == after && before != "bypass" { // which two entries may mean
				t.Errorf("both are %q: nothing was shown", before)
			}
		})
	}
}

// kunitS1DSSOf is an entry with the other S1DSS, and nothing else changed.
func kunitS1DSSOf(e [4]uint64) [4]uint64 {
	e[1] = smmu.STE1_S1DSS.Put(e[1], uint64(smmu.DSSBypass))
	return e
}

// The same for context descriptors: clearing one takes two steps and is not hitless, a change of the ASID one, and
// releasing (EPD0 set, still valid) two.
func TestT10KUnitCD(t *testing.T) {
	valid := [4]uint64{cdBase | 1<<48, tables, 0, mair}
	for _, c := range []struct {
		name   string
		steps  [][4]uint64 // with a CMD_SYNC behind each
		treats []string
	}{
		{"clear", [][4]uint64{{valid[0] &^ (1 << 31), tables, 0, mair}, {}}, []string{"C_BAD_CD", "C_BAD_CD"}},
		{"set", [][4]uint64{{0, tables, 0, mair}, valid}, []string{"C_BAD_CD", "stage 1"}},
		{"change of the ASID", [][4]uint64{valid, {cdBase | 2<<48, tables, 0, mair}}, []string{"stage 1", "stage 1"}},
		{
			"release", [][4]uint64{valid, {valid[0] | 1<<14, tables, 0, mair}, {valid[0] | 1<<14, 0, 0, mair}},
			[]string{"stage 1", "F_TRANSLATION", "F_TRANSLATION"},
		},
	} {
		bed := newTestbed(t, timed())
		bed.boot()
		bed.stage1(1)
		bed.poke(buffers+0x1000, 2)
		bed.mapPage(tables, buffers, (buffers+0x1000)|pageRW)
		for i, step := range c.steps {
			bed.poke(contexts, step[:]...)
			bed.sync(two(cfgiCD(stream, 0))...)
			if got := bed.treats(buffers); got != c.treats[i] {
				t.Errorf("%s, step %d: %q, expected %q", c.name, i+1, got, c.treats[i])
			}
		}
	}
}
