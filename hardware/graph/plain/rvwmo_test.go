package plain

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// riscv writes an AMO or a pair of LR and SC: "SWAP.aqrl", "ADD", "LR.aq-SC.rl".
func (c *column) riscv(op, value, at string) bool {
	if load, store, ok := strings.Cut(op, "-"); ok && strings.HasPrefix(op, "LR") {
		c.emit("%s.8 r%d, %s", strings.ToLower(strings.Replace(load, "LR", "lr", 1)), c.next, at)
		c.emit("%s.8 r13, %s, %s", strings.ToLower(store), value, at)
		return true
	}
	name, order, ordered := strings.Cut(op, ".")
	word, ok := map[string]string{"SWAP": "amoswap", "ADD": "amoadd"}[name]
	if ordered {
		word += "." + order
	}
	if ok {
		c.emit("%s.8 r%d, %s, %s", word, c.next, value, at)
	}
	return ok
}

// The whole set of outcomes of every row of litmus-rvwmo-sets.tsv, and the verdict of those that ask for one.
func TestLitmusSetsRVWMO(t *testing.T) {
	verdicts, sets := 0, 0
	for _, columns := range readRows(t, "litmus-rvwmo-sets.tsv") {
		_, got, verdict := enumerateRow(t, columns, RVWMO)
		if columns[3] != "" {
			verdicts++
			if verdict != columns[3] {
				t.Errorf("%s: %s, want %s", columns[0], verdict, columns[3])
			}
		}
		sets++
		if text := strings.Join(got, ","); text != columns[4] {
			t.Errorf("%s: %s\ngot  %s\nwant %s", columns[0], columns[1], text, columns[4])
		}
	}
	if verdicts != 300 || sets != 400 {
		t.Errorf("%d verdicts and %d sets looked at, want 300 and 400", verdicts, sets)
	}
}

// law is a case decided by one rule of the manual, by what the manual leaves out, or by this project.
type law struct {
	rule           string
	cells, threads string
	asked          string
	allowed        bool
}

// Readers and writers that take no part in a rule are held by full fences.
const (
	observe = "| ldr.8 r0, [y]; fence rw, rw; ldr.8 r1, [x]"
	seen    = "1:r0=1 1:r1=0"
	publish = "| str.8 1, [x]; fence rw, rw; str.8 1, [y]"
	stale   = "0:r0=1 0:r1=0"
)

// Each rule of preserved program order alone, and beside it what it does not order.
var rulesOfRVWMO = []law{
	{"1", "x y a", "ldr.8 r0, [y]; str.8 1, [y] | ldr.8 r0, [y]; str.8 2, [y]", "0:r0=2 1:r0=1", false},
	{"1 does not order other places", "x y a", "str.8 1, [x]; str.8 1, [y]" + observe, seen, true},
	{"2", "x y a", "ldr.8 r0, [x]; ldr.8 r1, [x] | str.8 1, [x]", stale, false},
	{"2 does not order reads of one write", "x y a",
		"ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r3, [a+r2]; ldr.8 r4, [a]; eor r2, r4, r4;" +
			"ldr.8 r1, [x+r2]" + publish, stale, true},
	{"2, another write", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r3, [a+r2]; ldr.8 r4, [a]; eor r2, r4, r4;" +
		"ldr.8 r1, [x+r2]" + publish + "| str.8 1, [a]", stale + " 0:r3=0 0:r4=1", false},
	{"2, a write between", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r3, [a+r2]; str.8 2, [a]; ldr.8 r4, [a];" +
		"eor r2, r4, r4; ldr.8 r1, [x+r2]" + publish, stale + " 0:r4=2", true},
	{"3, AMO", "x y a", "ldr.8 r0, [y]; fence r, w; amoswap.8 zr, 1, [a]; ldr.8 r2, [a]; eor r3, r2, r2;" +
		"ldr.8 r1, [x+r3]" + publish, stale + " 0:r2=1", false},
	{"3, SC", "x y a", "ldr.8 r0, [y]; fence r, w; lr.8 r4, [a]; sc.8 r5, 1, [a]; ldr.8 r2, [a]; eor r3, r2, r2;" +
		"ldr.8 r1, [x+r3]" + publish, stale + " 0:r2=1", false},
	{"3 does not name stores", "x y a", "ldr.8 r0, [y]; fence r, w; str.8 1, [a]; ldr.8 r2, [a]; eor r3, r2, r2;" +
		"ldr.8 r1, [x+r3]" + publish, stale + " 0:r2=1", true},
	{"5", "x y a", "amoadd.aq.8 r0, 0, [y]; ldr.8 r1, [x]" + publish, stale, false},
	{"5 does not order before", "x y a", "str.8 1, [x]; amoswap.aq.8 r0, 1, [y]" + observe, seen, true},
	{"6", "x y a", "str.8 1, [x]; amoswap.rl.8 r0, 1, [y]" + observe, seen, false},
	{"6 does not order behind", "x y a", "amoadd.rl.8 r0, 0, [y]; ldr.8 r1, [x]" + publish, stale, true},
	{"7", "x y a", "amoswap.rl.8 r0, 1, [x]; lr.aq.8 r1, [y] | str.8 1, [y]; fence rw, rw; ldr.8 r0, [x]",
		"0:r1=0 1:r0=0", false},
	{"7 wants both", "x y a", "amoswap.8 r0, 1, [x]; lr.8 r1, [y] | str.8 1, [y]; fence rw, rw; ldr.8 r0, [x]",
		"0:r1=0 1:r0=0", true},
	{"8", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; lr.8 r3, [a+r2]; sc.8 r4, 1, [a]; fence w, r; ldr.8 r1, [x]" + publish,
		stale, false},
	{"9", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r1, [x+r2]" + publish, stale, false},
	{"10 wants both", "x y a", "ldr.8 r0, [y]; str.8 r0, [x] | ldr.8 r1, [x]; str.8 1, [y]", "0:r0=1 1:r1=1", true},
	{"10", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; add r2, r2, 1; str.8 r2, [x] |" +
		"ldr.8 r1, [x]; str.8 r1, [y]", "0:r0=1 1:r1=1", false},
	{"11", "x y a", "ldr.8 r0, [y]; cbz r0, l; l:; str.8 1, [x] | ldr.8 r1, [x]; fence r, w; str.8 1, [y]",
		"0:r0=1 1:r1=1", false},
	{"11 does not order loads", "x y a", "ldr.8 r0, [y]; cbz r0, l; l:; ldr.8 r1, [x]" + publish, stale, true},
	{"11, the status of SC", "x y a", "lr.8 r0, [x]; sc.8 r2, 1, [x]; cbnz r2, l; str.8 1, [y]; l:" + observe,
		seen, false},
	{"11, an SC without a branch", "x y a", "lr.8 r0, [x]; sc.8 r2, 1, [x]; str.8 1, [y]" + observe, seen, true},
	{"12", "x y a", "ldr.8 r0, [y]; str.8 r0, [a]; ldr.8 r2, [a]; eor r3, r2, r2; ldr.8 r1, [x+r3]" + publish, stale,
		false},
	{"13", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r3, [a+r2]; str.8 1, [x] |" +
		"ldr.8 r1, [x]; fence r, w; str.8 1, [y]", "0:r0=1 1:r1=1", false},
	{"13 does not order loads", "x y a", "ldr.8 r0, [y]; eor r2, r0, r0; ldr.8 r3, [a+r2]; ldr.8 r1, [x]" + publish,
		stale, true},
}

func TestRulesOfRVWMO(t *testing.T) {
	for _, l := range slices.Concat(rulesOfRVWMO, fencesOfRVWMO, atomicsOfRVWMO, devicesOfRVWMO) {
		result := mustEnumerate(t, build(l.cells, l.threads), Options{Model: RVWMO})
		got := slices.ContainsFunc(result.Outcomes, func(o string) bool { return containsWords(o, l.asked) })
		if got != l.allowed || len(result.Outcomes) == 0 {
			t.Errorf("rule %s: %q allowed: %v of %q", l.rule, l.asked, got, result.Outcomes)
		}
	}
}

// Rule 4: the sets are exact. FENCE.TSO leaves out a write before a read.
var fencesOfRVWMO = []law{
	{"4, w,w", "x y", "str.8 1, [x]; fence w, w; str.8 1, [y] | ldr.8 r0, [y]; fence r, r; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", false},
	{"4, r,r between writes", "x y", "str.8 1, [x]; fence r, r; str.8 1, [y] | ldr.8 r0, [y]; fence r, r; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", true},
	{"4, w,w between reads", "x y", "str.8 1, [x]; fence w, w; str.8 1, [y] | ldr.8 r0, [y]; fence w, w; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", true},
	{"4, r,w", "x y", "ldr.8 r0, [x]; fence r, w; str.8 1, [y] | ldr.8 r1, [y]; fence r, w; str.8 1, [x]",
		"0:r0=1 1:r1=1", false},
	{"4, w,r", "x y", "str.8 1, [x]; fence w, r; ldr.8 r0, [y] | str.8 1, [y]; fence w, r; ldr.8 r1, [x]",
		"0:r0=0 1:r1=0", false},
	{"4, rw,w", "x y", "str.8 1, [x]; fence rw, w; ldr.8 r0, [y] | str.8 1, [y]; fence rw, w; ldr.8 r1, [x]",
		"0:r0=0 1:r1=0", true},
	{"4, of devices alone", "x y", "str.8 1, [x]; fence io, io; str.8 1, [y] | ldr.8 r0, [y]; fence r, r; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", true},
	{"4, TSO, message", "x y", "str.8 1, [x]; fence.tso; str.8 1, [y] | ldr.8 r0, [y]; fence.tso; ldr.8 r1, [x]",
		"1:r0=1 1:r1=0", false},
	{"4, TSO, store buffer", "x y", "str.8 1, [x]; fence.tso; ldr.8 r0, [y] | str.8 1, [y]; fence.tso; ldr.8 r1, [x]",
		"0:r0=0 1:r1=0", true},
	{"4, TSO, a read before a write", "x y", "ldr.8 r0, [x]; fence.tso; str.8 1, [y] | ldr.8 r1, [y]; fence r, w;" +
		"str.8 1, [x]", "0:r0=1 1:r1=1", false},
}

// An AMO is one operation: a fence that names its write holds its read, and its result forwards no earlier.
var atomicsOfRVWMO = []law{
	{"AMO, its write is fenced", "x y", "amoadd.8 r0, 0, [y]; fence w, r; ldr.8 r1, [x] | str.8 1, [x]; fence w, w;" +
		"str.8 1, [y]", "0:r0=1 0:r1=0", false},
	{"AMO, its read is fenced", "x y", "str.8 1, [x]; fence w, r; amoswap.8 r0, 1, [y] | ldr.8 r0, [y]; fence r, r;" +
		"ldr.8 r1, [x]", "1:r0=1 1:r1=0", false},
	{"AMO, what is before its write is before its read", "x y z", "str.8 1, [x]; fence w, w; amoswap.8 r0, 1, [z];" +
		"fence r, r; ldr.8 r1, [y] | str.8 1, [y]; fence rw, rw; ldr.8 r0, [x]", "0:r1=0 1:r0=0", false},
	{"LR and SC are two, and only SC is a write", "x y z", "str.8 1, [x]; fence w, w; lr.8 r0, [z]; sc.8 r2, 1, [z];" +
		"fence r, r; ldr.8 r1, [y] | str.8 1, [y]; fence rw, rw; ldr.8 r0, [x]", "0:r1=0 0:r2=0 1:r0=0", true},
	{"LR and SC are two, ordered", "x y",
		"str.8 1, [x]; fence w, r; lr.8 r0, [y]; sc.8 r2, 1, [y] | ldr.8 r0, [y]; fence r, r;" +
			"ldr.8 r1, [x]", "1:r0=1 1:r1=0", false},
	{"LR, its read alone is fenced", "x y", "lr.8 r0, [y]; sc.8 r2, 1, [y]; fence w, r; ldr.8 r1, [x] |" +
		"str.8 1, [x]; fence w, w; str.8 2, [y]", "0:r0=2 0:r1=0", false},
	{"nothing between LR and SC", "x", "lr.8 r0, [x]; sc.8 r2, 1, [x] | str.8 2, [x]", "0:r0=0 0:r2=0 x=1", false},
	{"nothing between LR and SC, stored", "x", "lr.8 r0, [x]; add r1, r0, 1; sc.8 r2, r1, [x] |" +
		"lr.8 r0, [x]; add r1, r0, 1; sc.8 r2, r1, [x]", "x=1 0:r2=0 1:r2=0", false},
}

// What the manual leaves to the platform, or does not name.
var devicesOfRVWMO = []law{
	{"a device after a fence w,o", "x", "str.8 1, [x]; fence w, o; ring 1, 5 | handler 5; fence r, r; ldr.8 r12, [x]",
		"1:r12=0", true},
	{"an interrupt orders no load", "x", "str.8 1, [x]; fence w, o; ring 1, 5 | handler 5; ldr.8 r12, [x]", "1:r12=0",
		true},
	{"an interrupt comes before what is stored", "x", "ldr.8 r0, [x]; fence r, o; ring 1, 5 | handler 5; str.8 1, [x]",
		"0:r0=1", false},
	{"what the sender has ordered, the receiver fences by memory", "x y", "str.8 1, [x]; fence w, w; str.8 1, [y];" +
		"fence w, o; ring 1, 5 | handler 5; ldr.8 r12, [y]; fence r, r; ldr.8 r13, [x]", "1:r12=1 1:r13=0", false},
	{"a device is not read before a branch is decided", "x dev", "ldr.8 r0, [x]; cbz r0, l; l:; ldr.8 r1, [dev] |" +
		"str.8 1, [dev]; fence o, w; str.8 1, [x]", "0:r0=1 0:r1=0", false},
	{"nor before an address is known", "x y dev", "ldr.8 r0, [x]; eor r2, r0, r0; ldr.8 r3, [y+r2]; ldr.8 r1, [dev] |" +
		"str.8 1, [dev]; fence o, w; str.8 1, [x]", "0:r0=1 0:r1=0", false},
	{"a device is accessed in order", "x y dev", "str.8 1, [x]; fence w, o; str.8 1, [dev]; ldr.8 r0, [dev];" +
		"fence i, r; ldr.8 r1, [y] | str.8 1, [y]; fence w, r; ldr.8 r0, [x]", "0:r1=0 1:r0=0", false},
	{"acquire is of its domain", "x dev", "str.8 1, [x]; fence w, o; str.8 1, [dev] | amoadd.aq.8 r0, 0, [dev];" +
		"ldr.8 r1, [x]", "1:r0=1 1:r1=0", true},
	{"a fence joins the domains", "x dev", "str.8 1, [x]; fence w, o; str.8 1, [dev] | ldr.8 r0, [dev]; fence i, r;" +
		"ldr.8 r1, [x]", "1:r0=1 1:r1=0", false},
	{"a fence of memory does not", "x dev", "str.8 1, [x]; fence rw, rw; str.8 1, [dev] | ldr.8 r0, [dev]; fence i, r;" +
		"ldr.8 r1, [x]", "1:r0=1 1:r1=0", true},
}

// A return from an interrupt may keep the reservation or drop it; Arm's drops the monitor.
func TestReservationAcrossInterrupts(t *testing.T) {
	for _, c := range []struct {
		load, store, send string
		model             Model
		want              string
	}{
		{"lr", "sc", "ring", RVWMO, "01"}, {"ldxr", "stxr", "ring", Arm, "1"},
	} {
		text := build("x y z", fmt.Sprintf(
			"mask; str.8 1, [z]; %s.8 r0, [x]; unmask; wait.8 r1, [y], eq, 1; %s.8 r2, 1, [x];"+
				"handler 5; ldr.8 r12, [z]; str.8 1, [y] | %s 0, 5", c.load, c.store, c.send))
		got := ""
		for _, status := range []string{"0", "1"} {
			if slices.ContainsFunc(mustEnumerate(t, text, Options{Model: c.model}).Outcomes, func(o string) bool {
				return containsWords(o, "0:r12=1 0:r2="+status)
			}) {
				got += status
			}
		}
		if got != c.want {
			t.Errorf("%s: status %q after an interrupt, want %q", c.store, got, c.want)
		}
	}
}

// Programs of one architecture are refused under the other's model, and those of RISC-V are read as they are printed.
func TestForeignInstructions(t *testing.T) {
	for _, line := range []string{
		"fence rw, w", "fence.tso", "lr.aq.8 r0, [x]", "amoswap.aqrl.8 r0, 1, [x]", "amoadd.8 zr, 1, [x]",
	} {
		text := "cell x 0\nthread\n  " + line + "\n"
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != text {
			t.Errorf("%q is printed as %q", text, p)
		}
		if _, err := Enumerate(p, Options{Model: Arm}); err == nil {
			t.Errorf("%q: no error under arm", line)
		}
	}
	for _, line := range []string{
		"dmb ish", "isb", "ldar.8 r0, [x]", "stlr.8 1, [x]", "casal.8 r0, 0, 1, [x]", "waita.8 r0, [x], eq, 0", "wfe",
	} {
		p, err := Parse("cell x 0\nthread\n" + line + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Enumerate(p, Options{Model: RVWMO}); err == nil {
			t.Errorf("%q: no error under rvwmo", line)
		}
	}
	for _, line := range []string{
		"fence", "fence rw", "fence rx, w", "fence rr, w", "lr.xx.8 r0, [x]", "sc.rl r0, 1, [x]",
	} {
		if _, err := Parse("cell x 0\nthread\n" + line + "\n"); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}

// Random programs of RISC-V are read as they are printed, and what stronger models allow RVWMO allows, too.
func TestRandomRISCV(t *testing.T) {
	weaker, big := 0, 0
	for seed := uint64(1); seed <= uint64(numberOfPrograms()); seed++ {
		p, err := Parse(Random(seed, RandomRISCVKnobs(seed)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again, err := Parse(p.String()); err != nil || again.String() != p.String() {
			t.Errorf("seed %d: printed and read: %v\n%s", seed, err, p)
		}
		var results []*Result
		for _, m := range []Model{SC, TSO, RVWMO} {
			result, err := Enumerate(p, Options{Model: m, CandidatesMax: candidatesMax})
			if err != nil {
				big++
				break
			}
			results = append(results, result)
		}
		for i := 1; i < len(results); i++ {
			if lost := missing(results[i-1].Hashes, results[i].Hashes); lost != 0 {
				t.Errorf("seed %d: model %d lacks the graph %#x\n%s", seed, i, lost, p)
			}
		}
		if n := len(results); n == 3 && len(results[2].Hashes) > len(results[1].Hashes) {
			weaker++
		}
	}
	if weaker == 0 || big*5 > numberOfPrograms() {
		t.Errorf("%d programs tell RVWMO from TSO, %d of %d are too big", weaker, big, numberOfPrograms())
	}
}
