package plain

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// build writes a program: cells as "x y=1 dev" (dev is a device), threads separated by |, instructions by semicolons.
func build(cells, threads string) string {
	var b strings.Builder
	for _, cell := range strings.Fields(cells) {
		name, value, _ := strings.Cut(cell+"=0", "=")
		value, _, _ = strings.Cut(value, "=")
		word := "cell"
		if strings.HasPrefix(name, "dev") {
			word = "device"
		}
		fmt.Fprintf(&b, "%s %s %s\n", word, name, value)
	}
	for _, thread := range strings.Split(threads, "|") {
		fmt.Fprintf(&b, "thread\n%s\n", strings.ReplaceAll(thread, ";", "\n"))
	}
	return b.String()
}

// hard is a case whose answer was argued by hand from the axioms. published says that the architecture or its published
// model decides; otherwise it is this project's design.
type hard struct {
	name           string
	published      bool
	cells, threads string
	asked          string // Words of an outcome, all of them.
	models         string // s, t, a: the models that allow it.
	why            string
}

func TestHardCases(t *testing.T) {
	names := map[string]bool{}
	all := slices.Concat(
		fenceCases, modelCases, atomicCases, dependencyCases, waitCases, sizeCases, signalCases, kernelCases,
	)
	for _, h := range all {
		if names[h.name] {
			t.Errorf("%s: two cases of one name", h.name)
		}
		names[h.name] = true
		p, err := Parse(build(h.cells, h.threads))
		if err != nil {
			t.Errorf("%s: %v", h.name, err)
			continue
		}
		allowed := ""
		for m, letter := range []string{"s", "t", "a"} {
			result, err := Enumerate(p, Options{Model: Model(m)})
			if err != nil {
				t.Errorf("%s: %v", h.name, err)
				continue
			}
			if len(result.Outcomes) == 0 {
				t.Errorf("%s: model %s allows nothing at all", h.name, letter)
			}
			if slices.ContainsFunc(result.Outcomes, func(o string) bool { return containsWords(o, h.asked) }) {
				allowed += letter
			}
			for _, word := range strings.Fields(h.asked) {
				if name, _, ok := strings.Cut(word, "="); ok && name != "hang" && name != "pending" &&
					!strings.Contains(strings.Join(result.Outcomes, " "), name+"=") {
					t.Errorf("%s: no outcome names %s", h.name, name)
				}
			}
		}
		if allowed != h.models {
			t.Errorf("%s: %q allowed by %q, want %q: %s", h.name, h.asked, allowed, h.models, h.why)
		}
	}
}

func containsWords(outcome, asked string) bool {
	words := strings.Fields(outcome)
	for _, word := range strings.Fields(asked) {
		if negated, ok := strings.CutPrefix(word, "!"); ok {
			if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, negated) }) {
				return false
			}
			continue
		}
		if !slices.Contains(words, word) {
			return false
		}
	}
	return true
}

var fenceCases = []hard{
	{"SB+dsb.sts", true, "x y", "str.8 1, [x]; dsb ishst; ldr.8 r0, [y] | str.8 1, [y]; dsb ishst; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "", "[W];po;[dsb.st];po: a DSB ST keeps earlier stores before all that follows, loads too"},
	{"SB+dmb.sts", true, "x y", "str.8 1, [x]; dmb ishst; ldr.8 r0, [y] | str.8 1, [y]; dmb ishst; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta", "[W];po;[dmb.st];po;[W]: a DMB ST says nothing of loads"},
	{"MP+dmb+dsb.st", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | ldr.8 r0, [y]; dsb ishst; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "a DSB ST waits for stores only: dsb ishst does not order earlier loads"},
	{"MP+dmb+dsb.ld", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | ldr.8 r0, [y]; dsb ishld; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "", "[R];po;[dsb.ld];po"},
	{"SB+dsb.lds", true, "x y", "str.8 1, [x]; dsb ishld; ldr.8 r0, [y] | str.8 1, [y]; dsb ishld; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta", "a DSB LD waits for loads only"},
	{"SB+dsb.nshs", false, "x y", "str.8 1, [x]; dsb nsh; ldr.8 r0, [y] | str.8 1, [y]; dsb nsh; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta", "non-shareable: complete for this PE only; aarch64.cat's fences are ISH and wider"},
	{"SB+stlr-ldars", true, "x y", "stlr.8 1, [x]; ldar.8 r0, [y] | stlr.8 1, [y]; ldar.8 r0, [x]",
		"0:r0=0 1:r0=0", "t", "[L];po;[A]; on tso acquire and release are plain moves (ours)"},
	{"SB+stlr-ldaprs", true, "x y", "stlr.8 1, [x]; ldapr.8 r0, [y] | stlr.8 1, [y]; ldapr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta", "RCpc: no [L];po;[Q]"},
	{"MP+L;coi", true, "x y",
		"stlr.8 1, [x]; str.8 2, [x]; dmb ishst; str.8 1, [y] | ldr.8 r0, [y]; dmb ish; ldr.8 r1, [x]",
		"1:r0=1 1:r1=1", "", "the later store of the same place is in coherence and before the fence"},
	{"S+release+coi", true, "x y", "str.8 1, [y]; stlr.8 1, [x]; str.8 2, [x] | ldr.8 r0, [x]; dmb ish; ldr.8 r1, [y]",
		"1:r0=2 1:r1=0", "", "po;[L];coi: the store after a release of the same place comes after it (lws)"},
	{"MP+relpo", true, "x y", "stlr.8 1, [x]; str.8 1, [y] | ldar.8 r0, [y]; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "a release does not order what follows"},
	{"MP+dmb+isb", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | ldr.8 r0, [y]; isb; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "an ISB alone orders no load"},
	{"MP+dmb+ctrlisb", true, "x y",
		"str.8 1, [x]; dmb ish; str.8 1, [y] | ldr.8 r0, [y]; cbz r0, l; l:; isb; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "", "[R];ctrl;[CSE];po"},
	{"MP+dmb+ctrl", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | ldr.8 r0, [y]; cbz r0, l; l:; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "loads are done speculatively"},
	{"MP+dmb+addr;po;isb", true, "x y z",
		"str.8 1, [x]; dmb ish; str.8 1, [y] | ldr.8 r0, [y]; eor r5, r0, r0; ldr.8 r2, [z+r5]; isb; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "", "addr;[Exp];po;[CSE];po;[R]: the access between might have faulted"},
}

// What tells sc, tso (Owens, Sarkar, Sewell, "A better x86 memory model") and arm apart.
var modelCases = []hard{
	{"SB", true, "x y", "str.8 1, [x]; ldr.8 r0, [y] | str.8 1, [y]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta", "store buffers"},
	{"SB+dmbs", true, "x y", "str.8 1, [x]; dmb ish; ldr.8 r0, [y] | str.8 1, [y]; dmb ish; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "", "MFENCE, DMB"},
	{"SB+dmb+po", true, "x y", "str.8 1, [x]; dmb ish; ldr.8 r0, [y] | str.8 1, [y]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta", "one is not enough"},
	{"SB+rfis", true, "x y", "str.8 1, [x]; ldr.8 r1, [x]; ldr.8 r0, [y] | str.8 1, [y]; ldr.8 r1, [y]; ldr.8 r0, [x]",
		"0:r1=1 0:r0=0 1:r1=1 1:r0=0", "ta", "a store is read early by its own thread"},
	{"MP", true, "x y", "str.8 1, [x]; str.8 1, [y] | ldr.8 r0, [y]; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "tso keeps stores and loads in order"},
	{"R", true, "x y", "str.8 1, [x]; str.8 1, [y] | str.8 2, [y]; ldr.8 r0, [x]",
		"1:r0=0 y=2", "ta", "the load passes its thread's store"},
	{"S", true, "x y", "str.8 2, [x]; str.8 1, [y] | ldr.8 r0, [y]; str.8 1, [x]",
		"1:r0=1 x=2", "a", "tso keeps a load before a store"},
	{"2+2W", true, "x y", "str.8 2, [x]; str.8 1, [y] | str.8 2, [y]; str.8 1, [x]",
		"x=2 y=2", "a", "tso keeps stores in order"},
	{"WRC", true, "x y", "str.8 1, [x] | ldr.8 r0, [x]; str.8 1, [y] | ldr.8 r0, [y]; ldr.8 r1, [x]",
		"1:r0=1 2:r0=1 2:r1=0", "a", "tso is multi-copy atomic and keeps loads in order"},
	{"CoRR", true, "x", "str.8 1, [x] | ldr.8 r0, [x]; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "", "coherence"},
}

var atomicCases = []hard{
	{"SB+swpals", true, "x y", "swpal.8 r1, 1, [x]; ldr.8 r0, [y] | swpal.8 r1, 1, [y]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "", "[range([A];amo;[L])];po: its write is before everything after"},
	{"SB+xchgs", true, "x y a b",
		"str.8 1, [x]; swpal.8 r1, 1, [a]; ldr.8 r0, [y] | str.8 1, [y]; swpal.8 r1, 1, [b]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "", "po;[L], then range([A];amo;[L]);po: xchg() with LSE is a full barrier"},
	{"SB+casals that fail", true, "x y a=1 b=1",
		"str.8 1, [x]; casal.8 r1, 0, 1, [a]; ldr.8 r0, [y] | str.8 1, [y]; casal.8 r1, 0, 1, [b]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "ta",
		"a compare that fails writes nothing, so there is no release half (tso: ours, no locked access)"},
	{"SB+swpas", true, "x y", "swpa.8 r1, 1, [x]; ldr.8 r0, [y] | swpa.8 r1, 1, [y]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "a", "acquire is the read's, not the write's"},
	{"SB+swpls", true, "x y", "swpl.8 r1, 1, [x]; ldr.8 r0, [y] | swpl.8 r1, 1, [y]; ldr.8 r0, [x]",
		"0:r0=0 1:r0=0", "a", "release covers what is before its write"},
	{"MP+swpl;po", true, "x y", "swpl.8 r1, 1, [x]; str.8 1, [y] | ldr.8 r0, [y]; dmb ish; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "an access after SWPL may pass its write"},
	{"MP+po;swpl", true, "x y", "str.8 1, [x]; swpl.8 r1, 1, [y] | ldr.8 r0, [y]; dmb ish; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "", "po;[L]"},
	{"MP+stlxr;po", true, "x y",
		"ldxr.8 r1, [x]; stlxr.8 r2, 1, [x]; str.8 1, [y] | ldr.8 r0, [y]; dmb ish; ldr.8 r1, [x]",
		"0:r2=0 1:r0=1 1:r1=0", "a", "an access after STLXR may pass it"},
	{"MP+po;stlxr", true, "x y",
		"str.8 1, [x]; ldxr.8 r1, [y]; stlxr.8 r2, 1, [y] | ldr.8 r0, [y]; dmb ish; ldr.8 r1, [x]",
		"0:r2=0 1:r0=1 1:r1=0", "", "po;[L]"},
	{"load passes into ldxr-stlxr", true, "x y z",
		"str.8 1, [z]; ldxr.8 r1, [x]; stlxr.8 r2, 1, [x]; ldr.8 r0, [y] | str.8 1, [y]; dmb ish; ldr.8 r0, [z]",
		"0:r2=0 0:r0=0 1:r0=0", "a", "LDXR-STLXR is no full barrier: why Linux adds a DMB (8e86f0b409a4)"},
	{"equal value, released", true, "x y", "str.8 1, [y]; stlr.8 0, [x] | casa.8 r0, 0, 1, [x]; ldr.8 r1, [y]",
		"x=1 1:r0=0 1:r1=0", "",
		"x is 1 in the end, so the CAS stands behind the equal store, read it, and acquired y"},
	{"equal value, before", true, "x y", "str.8 1, [y]; stlr.8 0, [x] | casa.8 r0, 0, 1, [x]; ldr.8 r1, [y]",
		"x=0 1:r0=0 1:r1=0", "sta", "the CAS read the first zero and the store came after"},
	{"equal value between halves", true, "x", "swp.8 r0, 1, [x] | str.8 0, [x] | ldr.8 r0, [x]; ldr.8 r1, [x]",
		"x=1 0:r0=0 2:r0=1 2:r1=0", "",
		"the store is before the swap's write, so no one reads 1 and then 0 if x ends as 1"},
	{"increments", true, "x", "ldadd.8 r0, 1, [x] | ldadd.8 r0, 1, [x] | ldadd.8 r0, 1, [x]",
		"x=2", "", "atomicity: no write between the halves"},
	{"own store between exclusives", true, "x", "ldxr.8 r0, [x]; str.8 5, [x]; stxr.8 r1, 1, [x]",
		"0:r1=0 x=1", "sta", "atomicity is empty rmw & (fre; coe): an own store between is not external"},
	{"foreign store between exclusives", true, "x", "ldxr.8 r0, [x]; stxr.8 r1, 1, [x] | str.8 5, [x]; ldr.8 r0, [x]",
		"0:r0=0 0:r1=0 x=1", "", "x is 1 in the end, so the 5 stands between what LDXR read and what STXR wrote"},
	{"two STXR after one LDXR", true, "x", "ldxr.8 r0, [x]; stxr.8 r1, 1, [x]; stxr.8 r2, 2, [x]",
		"0:r2=0", "", "the first one clears the monitor"},
	{"interrupt between LDXR and STXR", true, "x",
		"mask; ldxr.8 r0, [x]; sgi 0, 5; unmask; mask; stxr.8 r1, 1, [x]; handler 5; ldr.8 r12, [x]",
		"0:r1=0 !pending", "", "an exception return clears the monitor"},
	{"interrupt between LDXR and STXR: taken", true, "x",
		"mask; ldxr.8 r0, [x]; sgi 0, 5; unmask; mask; stxr.8 r1, 1, [x]; handler 5; ldr.8 r12, [x]",
		"0:r1=1 !pending", "sta", "it can be taken only there"},
	{"MP+swpa zr", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | swpa.8 zr, 2, [y]; ldr.8 r1, [x]",
		"y=2 1:r1=0", "a", "SWPA with ZR does not acquire"},
	{"MP+swpa", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | swpa.8 r0, 2, [y]; ldr.8 r1, [x]",
		"y=2 1:r1=0", "", "SWPA does"},
	{"LB+cas expecting what was read", false, "x y",
		"ldr.8 r0, [x]; eor r2, r0, r0; cas.8 r1, r2, 1, [y] | ldr.8 r0, [y]; str.8 r0, [x]",
		"0:r0=1 1:r0=1", "", "whether CAS writes depends on what it expects, as by a branch"},
	{"stadd+dmb.ld", true, "x y",
		"ldadd.8 zr, 1, [y]; dmb ishld; ldr.8 r0, [x] | str.8 1, [x]; dmb ish; ldadd.8 r1, 2, [y]; ldr.8 r2, [y]",
		"0:r0=0 1:r1=0", "a", "[R \\ NoRet];po;[dmb.ld]: STADD's read is not ordered"},
	{"ldadd+dmb.ld", true, "x y",
		"ldadd.8 r3, 1, [y]; dmb ishld; ldr.8 r0, [x] | str.8 1, [x]; dmb ish; ldadd.8 r1, 2, [y]",
		"0:r3=2 0:r0=0", "", "[R];po;[dmb.ld];po: it returned what came after x = 1"},
}

var dependencyCases = []hard{
	{"LB", true, "x y", "ldr.8 r0, [x]; str.8 1, [y] | ldr.8 r0, [y]; str.8 1, [x]",
		"0:r0=1 1:r0=1", "a", "nothing orders a load before a later store elsewhere"},
	{"LB+data+po", true, "x y", "ldr.8 r0, [x]; str.8 r0, [y] | ldr.8 r0, [y]; str.8 1, [x]",
		"0:r0=1 1:r0=1", "a", "one dependency is not enough"},
	{"LB+datas", true, "x y", "ldr.8 r0, [x]; str.8 r0, [y] | ldr.8 r0, [y]; str.8 r0, [x]",
		"0:r0=1 1:r0=1", "", "data: and no value out of thin air"},
	{"LB+addrs", true, "x y",
		"ldr.8 r0, [x]; eor r1, r0, r0; str.8 1, [y+r1] | ldr.8 r0, [y]; eor r1, r0, r0; str.8 1, [x+r1]",
		"0:r0=1 1:r0=1", "", "addr"},
	{"LB+ctrls", true, "x y",
		"ldr.8 r0, [x]; cbz r0, l; l:; str.8 1, [y] | ldr.8 r0, [y]; cbz r0, l; l:; str.8 1, [x]",
		"0:r0=1 1:r0=1", "", "ctrl;[W], even if both branches lead to the store"},
	{"LB+addr;po", true, "x y z",
		"ldr.8 r0, [x]; eor r1, r0, r0; ldr.8 r2, [z+r1]; str.8 1, [y] | ldr.8 r0, [y]; str.8 r0, [x]",
		"0:r0=1 1:r0=1", "", "addr;[Exp];po;[W]"},
	{"LB+swp-rfi-data+data", true, "x y",
		"swp.8 r0, 1, [x]; ldr.8 r1, [x]; str.8 r1, [y] | ldr.8 r0, [y]; eor r1, r0, r0; add r1, r1, 2; str.8 r1, [x]",
		"0:r0=2 0:r1=1 1:r0=1", "a", "what SWP writes does not wait for what it reads: forwarded, it orders nothing"},
	{"LB+swp-rfi.a-data+data", true, "x y",
		"swp.8 r0, 1, [x]; ldar.8 r1, [x]; str.8 r1, [y] | ldr.8 r0, [y]; eor r1, r0, r0; add r1, r1, 2; str.8 r1, [x]",
		"0:r0=2 0:r1=1 1:r0=1", "", "rmw;lrs;[A|Q]"},
	{"LB+ldadd-rfi-data+data", false, "x y",
		"ldadd.8 r0, 1, [x]; ldr.8 r1, [x]; str.8 r1, [y] | ldr.8 r0, [y]; eor r1, r0, r0; add r1, r1, 2; str.8 r1, [x]",
		"0:r0=2 0:r1=3 1:r0=3", "", "the sum needs the read; aarch64.cat would allow it"},
	{"LB+cas-rfi-data+data", true, "x y",
		"cas.8 r0, 2, 1, [x]; ldr.8 r1, [x]; str.8 r1, [y] | ldr.8 r0, [y]; eor r1, r0, r0; add r1, r1, 2; str.8 r1, [x]",
		"0:r0=2 0:r1=1 1:r0=1", "a", "by the letter: aarch64.cat has no edge from a CAS to what is forwarded from it"},
	{"LB+stlr", true, "x y", "ldr.8 r0, [x]; stlr.8 1, [y] | ldr.8 r0, [y]; stlr.8 1, [x]",
		"0:r0=1 1:r0=1", "", "po;[L]"},
	{"LB+wmb", true, "x y", "ldr.8 r0, [x]; dmb ishst; str.8 1, [y] | ldr.8 r0, [y]; dmb ishst; str.8 1, [x]",
		"0:r0=1 1:r0=1", "a", "DMB ST does not order a load before a store"},
	{"IRIW", true, "x y", "str.8 1, [x] | ldr.8 r0, [x]; ldr.8 r1, [y] | str.8 1, [y] | ldr.8 r0, [y]; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0 3:r0=1 3:r1=0", "a", "loads reorder"},
	{"IRIW+addrs", true, "x y",
		"str.8 1, [x] | ldr.8 r0, [x]; eor r2, r0, r0; ldr.8 r1, [y+r2] | str.8 1, [y] | " +
			"ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r1, [x+r2]",
		"1:r0=1 1:r1=0 3:r0=1 3:r1=0", "", "multi-copy atomic"},
}

var waitCases = []hard{
	{"store 2, store 1, wait for 2: seen", true, "x", "str.8 2, [x]; str.8 1, [x] | wait.8 r0, [x], ge, 2",
		"1:r0=2 x=1", "sta", "a sample may fall between"},
	{"store 2, store 1, wait for 2: missed", false, "x", "str.8 2, [x]; str.8 1, [x] | wait.8 r0, [x], ge, 2",
		"x=1 hang=1", "sta", "a waiter samples: it may miss the 2 and then waits for ever"},
	{"store 2, store 1, deadline", false, "x", "str.8 2, [x]; str.8 1, [x] | wait.8 r0, [x], ge, 2, r1",
		"1:r0=1 1:r1=1", "sta", "the deadline passes in the last state, whose value is 1"},
	{"store 2, store 1, deadline on 0", false, "x", "str.8 2, [x]; str.8 1, [x] | wait.8 r0, [x], ge, 2, r1",
		"1:r0=0 1:r1=1", "", "a deadline passes only when nothing else can happen, so both stores are seen"},
	{"1, 2, y, 1: the first 1", true, "x y",
		"str.8 1, [x]; str.8 2, [x]; str.8 1, [y]; str.8 1, [x] | wait.8 r0, [x], eq, 1; ldr.8 r1, [y]",
		"1:r0=1 1:r1=0", "sta", "the wait may end with the first 1"},
	{"1, 2, y, 1: the last 1", true, "x y",
		"str.8 1, [x]; str.8 2, [x]; str.8 1, [y]; str.8 1, [x] | wait.8 r0, [x], eq, 1; ldr.8 r1, [y]",
		"1:r0=1 1:r1=1", "sta", "or with the last"},
	{"1, 2, y, 1: no hang", false, "x y",
		"str.8 1, [x]; str.8 2, [x]; str.8 1, [y]; str.8 1, [x] | wait.8 r0, [x], eq, 1; ldr.8 r1, [y]",
		"hang=1", "", "the last value satisfies: the waiter sees it at last"},
	{"deadline and a store", false, "x", "str.8 1, [x] | wait.8 r0, [x], eq, 1, r1",
		"1:r1=1", "", "time passes only when the store is seen"},
	{"deadline wakes the other", false, "x y",
		"wait.8 r0, [x], eq, 1, r1; str.8 1, [y] | wait.8 r0, [y], eq, 1; str.8 1, [x]",
		"0:r1=0", "", "the other goes on only after the deadline, so it must pass"},
	{"deadline and a hang", false, "x y",
		"wait.8 r0, [x], eq, 1, r1; str.8 1, [y] | wait.8 r0, [y], eq, 2; str.8 1, [x]",
		"0:r1=1 hang=1", "sta", "a wait without deadline waits for ever"},
	{"a late load after a deadline", false, "x y z",
		"wait.8 r0, [x], eq, 1, r1; ldr.8 r2, [z] | str.8 1, [z]",
		"0:r1=1 0:r2=0", "a", "control does not order a load, so it may have been done before the deadline"},
	{"a dependent load after a deadline", false, "x y z",
		"wait.8 r0, [x], eq, 1, r1; eor r3, r0, r0; ldr.8 r2, [z+r3] | str.8 1, [z]",
		"0:r1=1 0:r2=0", "", "all that happened is before the deadline, and the deadline before what depends on it"},
	{"no deadline while another can go on", false, "a x=1",
		"wait.8 r0, [a], eq, 1, r1; str.8 2, [x] | wait.8 r0, [x], ge, 1; str.8 1, [a]",
		"0:r1=1", "", "the second thread's wait is satisfied from the start"},
	{"no deadline past a value that was there", false, "a x",
		"wait.8 r0, [a], eq, 1, r1; str.8 0, [x] | wait.8 r0, [x], eq, 1; str.8 1, [a] | str.8 1, [x]",
		"hang=1", "", "before a deadline may pass, the second thread has seen the 1"},
	{"an interrupt after a deadline", false, "a b",
		"wait.8 r0, [a], eq, 1, r1; sgi 1, 5 | wait.8 r0, [b], eq, 1; handler 5; str.8 1, [b]",
		"0:r1=1 1:r0=1 !hang", "sta", "taken while the second thread waits"},
	{"an event after a deadline", false, "a", "wait.8 r0, [a], eq, 1, r1; sev | wfe; str.8 1, [a]",
		"0:r1=1 a=1 !hang", "sta", "the second thread sleeps until the deadline has passed"},
	{"an event before a deadline", false, "a", "wait.8 r0, [a], eq, 1, r1; sev | wfe; str.8 1, [a] | sev",
		"0:r1=1", "", "the third thread's event wakes the second one first"},
	{"wait is control", true, "x y", "ldr.8 r0, [x]; str.8 r0, [y] | wait.8 r0, [y], eq, 1; str.8 1, [x]",
		"0:r0=1 1:r0=1", "", "a loop's branch comes before each later store"},
	{"wait is not acquire", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | wait.8 r0, [y], eq, 1; ldr.8 r1, [x]",
		"1:r1=0", "a", "smp_cond_load_relaxed() orders no load"},
	{"waita", true, "x y", "str.8 1, [x]; dmb ish; str.8 1, [y] | waita.8 r0, [y], eq, 1; ldr.8 r1, [x]",
		"1:r1=0", "", "[A];po"},
	{"two waits, crossed", true, "x y", "wait.8 r0, [x], eq, 1; str.8 1, [y] | wait.8 r0, [y], eq, 1; str.8 1, [x]",
		"!hang", "", "each waits for the other: no outcome but the hang of both"},
}

var sizeCases = []hard{
	{"data at 0, flag at 4", true, "x", "str.4 1, [x]; str.4 1, [x+4] | ldr.4 r0, [x+4]; ldr.4 r1, [x]",
		"1:r0=1 1:r1=0", "a", "no byte is shared: MP without order"},
	{"data at 0, flag at 4, wmb and rmb", true, "x",
		"str.4 1, [x]; dmb ishst; str.4 1, [x+4] | ldr.4 r0, [x+4]; dmb ishld; ldr.4 r1, [x]",
		"1:r0=1 1:r1=0", "", "the same with barriers"},
	{"data at 0, flag at 4, wmb, read as one", true, "x", "str.4 1, [x]; dmb ishst; str.4 1, [x+4] | ldr.8 r0, [x]",
		"1:r0=4294967296", "", "single-copy atomic: a read of both sees the data if it sees the flag"},
	{"data at 0, flag at 4, read as one", true, "x", "str.4 1, [x]; str.4 1, [x+4] | ldr.8 r0, [x]",
		"1:r0=4294967296", "a", "the stores themselves may be seen in either order"},
	{"written as one, read as two", true, "x", "str.8 0x100000001, [x] | ldr.4 r0, [x+4]; ldr.4 r1, [x]",
		"1:r0=1 1:r1=0", "a", "two loads without order"},
	{"written as one, read as two in order", true, "x",
		"str.8 0x100000001, [x] | ldr.4 r0, [x+4]; dmb ishld; ldr.4 r1, [x]",
		"1:r0=1 1:r1=0", "", "the store is one event"},
	{"no tearing", true, "x", "str.8 0x100000001, [x] | str.8 0x200000002, [x] | ldr.8 r0, [x]",
		"2:r0=8589934593", "", "single-copy atomicity"},
	{"forwarding a half", true, "x", "str.4 1, [x]; ldr.8 r0, [x] | str.4 1, [x+4]; ldr.8 r0, [x]",
		"0:r0=1 1:r0=4294967296", "ta", "each reads its own half early and the other's not yet: rfi orders nothing"},
	{"store over a half that was read", true, "x y",
		"ldr.4 r0, [x]; str.8 0x200000002, [x] | ldr.8 r0, [x]; dmb ish; str.4 1, [x]",
		"0:r0=1 1:r0=8589934594", "", "lws: a load is before a later store that shares a byte with it"},
	{"LB across one word", true, "x y",
		"ldr.4 r0, [x]; str.4 1, [x+4] | ldr.4 r0, [x+4]; str.4 1, [x]",
		"0:r0=1 1:r0=1", "a", "other bytes are other places"},
	{"byte increments", true, "x", "ldadd.1 r0, 1, [x] | ldadd.1 r0, 1, [x+1]",
		"x=257", "sta", "neighbours do not disturb each other"},
}

var signalCases = []hard{
	{"SGI+dmb", false, "x", "str.8 1, [x]; dmb ish; sgi 1, 5 | handler 5; ldr.8 r12, [x]",
		"1:r12=0 !pending", "ta", "a system-register write is no access: no DMB orders it"},
	{"SGI+dsb", true, "x", "str.8 1, [x]; dsb ish; sgi 1, 5 | handler 5; ldr.8 r12, [x]",
		"1:r12=0 !pending", "", "DSB-ob, then cause before taking, taking before what follows"},
	{"SGI+dsb.ld", true, "x", "str.8 1, [x]; dsb ishld; sgi 1, 5 | handler 5; ldr.8 r12, [x]",
		"1:r12=0 !pending", "ta", "loads only"},
	{"SGI+swpal", false, "x y", "str.8 1, [x]; swpal.8 r0, 1, [y]; sgi 1, 5 | handler 5; ldr.8 r12, [x]",
		"1:r12=0 !pending", "a",
		"a full barrier among accesses is not a DSB; on tso a locked access drains all (ours)"},
	{"SGI is never lost", false, "x", "sgi 1, 5 | str.8 1, [x]; handler 5; str.8 2, [x]",
		"pending=1:5", "", "an unmasked thread takes what is pending in the end"},
	{"SGI to a masked thread", false, "x", "sgi 1, 5 | mask; handler 5; str.8 2, [x]",
		"x=0 pending=1:5", "sta", "masked, it stays pending"},
	{"SGI overtaken", false, "a", "sgi 1, 5; sgi 1, 6 | handler 5; ldr.8 r12, [a]; handler 6; str.8 1, [a]",
		"1:r12=1", "sta", "both are pending, and the later one may be taken first"},
	{"SGI overtaken, DSB between", false, "a",
		"sgi 1, 5; dsb sy; sgi 1, 6 | handler 5; ldr.8 r12, [a]; handler 6; str.8 1, [a]",
		"1:r12=1", "sta", "a DSB does not wait until an interrupt is taken"},
	{"SGIs merge", false, "a", "sgi 1, 5; sgi 1, 5 | handler 5; ldr.8 r12, [a]; add r12, r12, 1; str.8 r12, [a]",
		"a=1 !pending", "sta", "two before the first is taken are one"},
	{"SGIs do not merge", false, "a",
		"sgi 1, 5; sgi 1, 5 | handler 5; ldr.8 r12, [a]; add r12, r12, 1; str.8 r12, [a]",
		"a=2 !pending", "sta", "or the second comes after the first was taken"},
	{"load before a taking", true, "x y z",
		"ldr.8 r0, [y]; str.8 r0, [x] | ldr.8 r0, [x]; str.8 1, [z]; handler 5; ldr.8 r12, [z]; str.8 1, [y] | " +
			"sgi 1, 5",
		"0:r0=1 1:r0=1 1:r12=1", "a", "a taking does not wait for an earlier load (Simner et al.)"},
	{"load, branch, taking", true, "x y z",
		"ldr.8 r0, [y]; str.8 r0, [x] | ldr.8 r0, [x]; cbz r0, l; l:; str.8 1, [z]; handler 5; ldr.8 r12, [z]; " +
			"str.8 1, [y] | sgi 1, 5",
		"0:r0=1 1:r0=1 1:r12=1", "", "a taking is not speculative: control orders it"},
	{"load, DSB, taking", true, "x y z",
		"ldr.8 r0, [y]; str.8 r0, [x] | ldr.8 r0, [x]; dsb ishld; str.8 1, [z]; handler 5; ldr.8 r12, [z]; " +
			"str.8 1, [y] | sgi 1, 5",
		"0:r0=1 1:r0=1 1:r12=1", "", "DSB-ob"},
	{"addr;po;SGI", false, "x y",
		"ldr.8 r0, [x]; eor r1, r0, r0; ldr.8 r2, [y+r1]; sgi 1, 5 | handler 5; str.8 1, [x]",
		"0:r0=1", "", "the access between might have faulted: the register write is not speculative"},
	{"load;SGI", false, "x y", "ldr.8 r0, [x]; sgi 1, 5 | handler 5; str.8 1, [x]",
		"0:r0=1", "a", "an unused load may be late, after the interrupt that it sent"},
	{"ring", true, "x", "str.8 1, [x]; dmb ishst; ring 1, 5 | handler 5; ldr.8 r12, [x]",
		"1:r12=0 !pending", "", "a doorbell is a store"},
	{"device read, DSB, ISB, load", true, "x dev",
		"str.8 1, [x]; dmb osh; str.8 1, [dev] | ldr.8 r0, [dev]; dsb sy; isb; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "", "what caused the value is before it, and DSB-ob"},
	{"device read, ISB, load", true, "x dev",
		"str.8 1, [x]; dmb osh; str.8 1, [dev] | ldr.8 r0, [dev]; isb; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", "a", "nothing but an ISB"},
	{"device order", true, "x dev", "str.8 1, [dev]; str.8 2, [dev] | ldr.8 r0, [dev]; ldr.8 r1, [dev]",
		"1:r0=2 1:r1=1", "", "accesses to one device stay in order"},
	{"device write, read, dmb.ld, load", true, "x dev",
		"str.8 1, [dev]; ldr.8 r0, [dev]; dmb oshld; ldr.8 r1, [x] | str.8 1, [x]; dmb osh; ldr.8 r0, [dev]",
		"0:r1=0 1:r0=0", "", "no forwarding: the device has the write before it answers the read"},
	{"memory write, read, dmb.ld, load", true, "x y",
		"str.8 1, [y]; ldr.8 r0, [y]; dmb oshld; ldr.8 r1, [x] | str.8 1, [x]; dmb osh; ldr.8 r0, [y]",
		"0:r1=0 1:r0=0", "ta", "memory forwards"},
	{"device before memory", true, "x dev", "str.8 1, [dev]; str.8 1, [x] | ldr.8 r0, [x]; dmb osh; ldr.8 r1, [dev]",
		"1:r0=1 1:r1=0", "a", "a device and memory are not ordered by themselves"},
	{"two tickets", true, "dev", "ldadd.8 r0, 1, [dev] | ldadd.8 r0, 1, [dev]",
		"0:r0=0 1:r0=0", "", "a register whose reading changes the state gives each value once"},
	{"WFE, SEV after DSB", false, "x", "str.8 1, [x]; dsb ish; sev | wfe; ldr.8 r0, [x]",
		"1:r0=0 !hang", "", "what a DSB completed before the SEV is seen after the wake-up"},
	{"WFE, SEV after DMB", false, "x", "str.8 1, [x]; dmb ish; sev | wfe; ldr.8 r0, [x]",
		"1:r0=0 !hang", "ta", "SEV is no access"},
	{"WFE without SEV", false, "x", "str.8 1, [x] | wfe; ldr.8 r0, [x]",
		"!hang", "", "no event, no wake-up: spurious ones are not modelled"},
	{"two WFE, one SEV", false, "x", "sev | wfe; wfe",
		"!hang", "", "a WFE clears the event register"},
	{"WFE woken by an interrupt", false, "x", "sgi 1, 5 | wfe; ldr.8 r0, [x]; handler 5; str.8 1, [x]",
		"1:r0=1 !hang", "sta", "an exception return sets the event register"},
	{"WFE and an interrupt: no hang", false, "x", "sgi 1, 5 | wfe; handler 5; str.8 1, [x]",
		"hang=1", "", "taken before or during the WFE, its return sets the event register"},
}

var kernelCases = []hard{
	{"csd_unlock by a plain store", true, "d=1 f=1",
		"waita.8 r0, [f], eq, 0; str.8 2, [d] | ldr.8 r0, [d]; str.8 0, [f]",
		"1:r0=2", "a", "a load before a store elsewhere: the callee may read what the next caller wrote"},
	{"csd_unlock by wmb and store", true, "d=1 f=1",
		"waita.8 r0, [f], eq, 0; str.8 2, [d] | ldr.8 r0, [d]; dmb ishst; str.8 0, [f]",
		"1:r0=2", "a", "a DMB ST does not order the load"},
	{"csd_unlock of the kernel", true, "d=1 f=1",
		"waita.8 r0, [f], eq, 0; str.8 2, [d] | ldr.8 r0, [d]; stlr.8 0, [f]",
		"1:r0=2", "", "smp_store_release(): po;[L]"},
	{"csd without barrier: the call is lost", false, "d l",
		"str.8 1, [d]; casal.8 r0, 0, 1, [l]; cbnz r0, end; sgi 1, 5; end:| handler 5; swpal.8 r12, 0, [l]; ldr.8 r13, [d]",
		"0:r0=0 l=1 !pending", "",
		"the branch on what llist_add() read comes before the SGI, hence its read before the " +
			"handler's: a handler that took the list first gave the read its value"},
	{"csd without barrier: the data", false, "d l",
		"str.8 1, [d]; casal.8 r0, 0, 1, [l]; cbnz r0, end; sgi 1, 5; end:| handler 5; swpal.8 r12, 0, [l]; ldr.8 r13, [d]",
		"1:r12=1 1:r13=0", "", "publication through the list: release, acquire"},
	{"csd without barrier, branch not declared", false, "d l",
		"str.8 1, [d]; casal.8 r0, 0, 1, [l]; sgi 1, 5 | handler 5; swpal.8 r12, 0, [l]; ldr.8 r13, [d]",
		"0:r0=0 l=1 !pending", "a", "without the branch nothing orders the SGI behind the list"},
	{"csd beside the queue", false, "d l",
		"str.8 1, [d]; casal.8 r0, 0, 1, [l]; cbnz r0, end; sgi 1, 5; end:| handler 5; ldr.8 r13, [d]",
		"0:r0=0 1:r13=0 !pending", "a", "data read without the list needs the DSB"},
	{"csd beside the queue, DSB", true, "d l",
		"str.8 1, [d]; casal.8 r0, 0, 1, [l]; cbnz r0, end; dsb ishst; sgi 1, 5; end:| handler 5; ldr.8 r13, [d]",
		"0:r0=0 1:r13=0 !pending", "", "DSB ISHST before the SGI, as gic_ipi_send_mask() has it"},
}
