package graph_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// riscvFence is "pr pw,sr sw" of a fence.
func riscvFence(sets string) Fence {
	access := func(s string) (a Access) {
		for i, c := range "rwio" {
			if strings.ContainsRune(s, c) {
				a |= [...]Access{Load, Store, DeviceInput, DeviceOutput}[i]
			}
		}
		return a
	}
	before, after, _ := strings.Cut(sets, ",")
	return Fence{Before: access(before), After: access(after)}
}

// riscvAtomic is an AMO, or LR and SC of one location.
type riscvAtomic struct {
	add, pair   bool
	read, write Class // of LR and of SC; of an AMO both are the same
}

var riscvAtomics = map[string]riscvAtomic{}

func init() {
	suffixes := map[string]Class{"": 0, ".aq": Acquire, ".rl": Release, ".aqrl": Acquire | Release}
	for a, first := range suffixes {
		riscvAtomics["SWAP"+a] = riscvAtomic{read: Read | Single | first, write: Write | Single | first | Atomic}
		riscvAtomics["ADD"+a] = riscvAtomic{
			add: true, read: Read | Single | first, write: Write | Single | first | Atomic | Derived,
		}
		for b, second := range suffixes {
			riscvAtomics["LR"+a+"-SC"+b] = riscvAtomic{pair: true, read: Read | first, write: Write | second}
		}
	}
}

func (a riscvAtomic) do(h *Handle, at, v Value, _ *instruction) Value {
	if a.pair {
		old := h.Read(at, 8, a.read)
		h.Monitor()
		h.WriteExclusive(at, 8, a.write, v)
		return old
	}
	return h.Update(at, 8, a.read, a.write, func(old uint64) (now, result uint64, write bool) {
		if a.add {
			return old + v.Bits, old, true
		}
		return v.Bits, old, true
	}, v)
}

// What the rules of the manual say where no row of the data tells: 7 (a release, then an acquire), 12 (forwarding of a
// store that depends on a load, and of one behind a branch, which does not count), and that an AMO is one operation.
var riscvRules = []string{
	"SB+amo.rl-amo.aqs\tSWAP.rl x 1; ADD.aq y 0 | SWAP.rl y 1; ADD.aq x 0\t0:ADD.aq y=0 & 1:ADD.aq x=0\tforbidden",
	"SB+amo.rl-amos\tSWAP.rl x 1; ADD y 0 | SWAP.rl y 1; ADD x 0\t0:ADD y=0 & 1:ADD x=0\tallowed",
	"MP+fence.w.w+data-rfi-addr\tW x 1; fence w,w; W y 1 | R y; data; W z 1; R z; addr; R x" +
		"\t1:R y=1 & 1:R z=1 & 1:R x=0\tforbidden",
	"MP+fence.w.w+addr-rfi-addr\tW x 1; fence w,w; W y 1 | R y; addr; W z 1; R z; addr; R x" +
		"\t1:R y=1 & 1:R z=1 & 1:R x=0\tforbidden",
	"PPOCA\tW x 1; fence w,w; W y 1 | R y; ctrl; W z 1; R z; addr; R x\t1:R y=1 & 1:R z=1 & 1:R x=0\tallowed",
	"SB+amo-addr+fence.rw.rw\tSWAP x 1; addr; R y | W y 1; fence rw,rw; R x\t0:SWAP x=0 & 0:R y=0 & 1:R x=0\tforbidden",
	"SB+lrsc-addr+fence.rw.rw\tLR-SC x 1; addr; R y | W y 1; fence rw,rw; R x\t0:LR-SC x=0 & 0:R y=0 & 1:R x=0\tallowed",
	"LB+data-amo-data+data\tR x; data; SWAP z 1; data; W y 1 | R y; data; W x 1\t0:R x=1 & 1:R y=1\tforbidden",
}

// riscvRows are the rows of the data and these.
func riscvRows(t *testing.T) []*litmus {
	list := rows(t, "litmus-rvwmo-sets.tsv")
	for _, row := range riscvRules {
		l, err := parse(row)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	return list
}

// differs reports whether a model gives a row another verdict, or another set of outcomes, than is expected.
func (l *litmus) differs(t *testing.T, m *Model) bool {
	sets, weak, _ := l.explored(t, m)
	return l.sets != nil && !slices.Equal(sets, l.sets) || l.expected != "" && weak != (l.expected == "allowed")
}

// Every verdict and every set of outcomes that another implementation of RISC-V's axioms has given.
func TestRVWMO(t *testing.T) {
	sets, verdicts := 0, 0
	for _, l := range riscvRows(t) {
		if l.differs(t, &RVWMO) {
			t.Errorf("%s: %s: expected %s %v", l.name, l.text, l.expected, l.sets)
		}
		sets += min(len(l.sets), 1)
		verdicts += min(len(l.expected), 1)
	}
	if t.Logf("%d sets, %d verdicts", sets, verdicts); sets != 400 || verdicts != 300+len(riscvRules) {
		t.Errorf("%d sets, %d verdicts: expected 400 and %d", sets, verdicts, 300+len(riscvRules))
	}
}

// Without any rule a row differs, unless another rule implies it: LR and SC are to one address.
func TestRVWMOMutations(t *testing.T) {
	list := riscvRows(t)
	noticed := func(m *Model) bool {
		return slices.ContainsFunc(list, func(l *litmus) bool { return l.differs(t, m) })
	}
	for i, e := range RVWMO.Edges {
		m := RVWMO
		m.Edges = slices.Delete(slices.Clone(m.Edges), i, i+1)
		if implied := e.Name == "8: rmw"; noticed(&m) == implied {
			t.Errorf("without %s: noticed: %v", e.Name, !implied)
		}
	}
	whole := maps.Clone(riscvAtomics)
	defer func() { riscvAtomics = whole }()
	for name, a := range whole {
		a.read, a.write = a.read&^Single, a.write&^Single
		riscvAtomics[name] = a
	}
	if !noticed(&RVWMO) {
		t.Error("with AMOs of two operations, nothing differs")
	}
}
