package graph_test

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// executions are the names of the executions that the explorer visits, and how often each.
func executions(t testing.TB, text string, m *Model) (map[string]int, *Report) {
	seen := map[string]int{}
	p := compiled(text)
	p.Begin = func() { clear(seen) }
	p.End = func(e *Execution) Verdict {
		seen[e.Name(func(at uint64, size uint8) []string { return namesOf(text, at, size) })]++
		if wrong := e.Misplaced(); wrong != "" {
			t.Errorf("%s, %s: %s", m.Name, text, wrong)
		}
		return Verdict{}
	}
	r, err := Explore(p, m, Options{Failures: 1, Executions: 1 << 30})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if r.Limits != 0 {
		t.Fatalf("%s: limits %d", text, r.Limits)
	}
	return seen, r
}

// namesOf are the names of a location in random programs, of its halves if the program has those.
func namesOf(text string, at uint64, size uint8) []string {
	if at >= lineAt {
		return []string{fmt.Sprint("irq", (at-lineAt)/8)}
	}
	name := string(rune((at - 0x1000) / 64))
	switch {
	case size == 4:
		return []string{name + fmt.Sprint((at-0x1000)%64)}
	case strings.Contains(text, name+"0") || strings.Contains(text, name+"4"):
		return []string{name + "0", name + "4"}
	}
	return []string{name}
}

// sample is a random program with its executions under a model, as the axioms have them.
type sample struct {
	seed int
	text string
	want map[string]bool
}

// samples makes random programs and enumerates them; those with too many candidates are left out.
func samples(model string, from, to int) (list []sample) {
	for seed := from; seed < to; seed++ {
		text := randomProgram(uint64(seed))
		if want, ok := enumerate(text, model, 20_000, 1); ok {
			list = append(list, sample{seed, text, want})
		}
	}
	return list
}

// long is the number of programs of a long run, short otherwise.
func long(long, short int) int {
	if os.Getenv("HWSCRIPT_LONG") != "" {
		return long
	}
	return short
}

// The explorer visits every execution that the axioms allow, once.
func TestRandomPrograms(t *testing.T) {
	for _, c := range []struct {
		model *Model
		count int
	}{{&Arm, long(8000, 400)}, {&TSO, long(1000, 100)}, {&SC, long(1000, 100)}} {
		graphs, programs := 0, 0
		for from := 0; from < c.count; from += 100 {
			for _, s := range samples(c.model.Name, from, from+100) {
				got, r := executions(t, s.text, c.model)
				graphs += r.Executions
				programs++
				if text := compare(s.want, got); text != "" {
					t.Fatalf("%s, program %d\n%s\n%s", c.model.Name, s.seed, s.text, text)
				}
			}
		}
		t.Logf("%s: %d programs, %d executions; %d others have too many candidates", c.model.Name, programs, graphs,
			c.count-programs)
	}
}

// named are programs for edges that random ones seldom need.
var named = []string{
	"R x; dsb ld; msr 1 | R y ! W x 1",
	"W x 1; dsb st; msr 1 | R y ! R x",
	"W x 1; dsb st; msr 1 | mrs 1; dsb ld; R x",
	"W x 1; dsb st; msr 1 | mrs 1; ctrl; isb; R x",
	"R x; ctrl; msr 1 | R y ! W x 1",
	"R x; data; msr 1 | R y ! W x 1",
	"R x; addr; R y; msr 1 | R z ! W x 1",
	"W x 1; dmb st; W y 1 | R y; ctrl; msr 2 | R z ! R x",
	"W x 1; dmb st; W y 1 | R y; data; msr 2 | R z ! R x",
	"W x 1; dmb st; W y 1 | R y; addr; R w; msr 2 | R z ! R x",
	"W x 1; dmb st; W y 1 | R y; ctrl; E d | P d; dmb ld; R x",
	"W x 1; dmb st; W y 1 | R y; addr; R w; E d | P d; dmb ld; R x",
	"W x 1; dmb st; W y 1 | R y; ctrl; R z ! R x | msr 1",
	"W x 1; dmb st; W y 1 | R y; addr; R z ! R x | msr 1",
	"D d 1; R x ! Q y | L z 3; Q x; D d 5; msr 0",
	"R x ! R y | mrs 0; dmb ishld; W z 2 | R z; msr 0",
	"A z; mrs 0; SWP z 1 ! R x | mrs 0; W z 2 | msr 0",
	"W x 1 | CAS x4 1 2; R x",
	"R x; ctrl; E d | P d; data; W x 1",
	"R x; addr; R y; E d | P d; data; W x 1",
	"W x 1; dmb st; W y 1 | R y; addr; P d; P d; addr; R x",
	"R x; ctrl; R z ; R z ! W y 1 | R y; data; W x 1 | msr 0",
	"R x; addr; R z ! W y 1 | R y; data; W x 1 | msr 0",
	"R x; L x 1; R x; data; W y 1 | R y; data; W x 1",
	"SWP x 1; R x; data; W y 1 | R y; data; W x 2",
	"R x; data; W z 1; W y 1 | R y; data; W x 1",
	"R x ! W y 1 | R y; data; W x 1 | msr 0",
	"LDXR x; STXR x 1; R x; data; W y 1 | R y; data; W x 2",
	"W x 1; dmb st; W y 1 | W y 2; dmb ish; R x",
	"W x 1; dmb ish; R y | W y 1; dmb ish; R x",
	"W x 1; dsb st; msr 1 | mrs 1; R x",
	"SWP z 1; R y | W y 1; dmb ish; R z",
	"W x 1; SWP z 1; W y 1 | R y; R x",
	"W x0 1; dmb st; W x4 1 | R x",
	"W x 1 | W x 2 | R x0; R x4",
	"W x 1; R x; R x0 | W x4 2",
	"W x 1; W x 2 | waitt x 2; R x",
	"W x 1; W x 2; W y 1; W x 1 | wait x 1; R y",
	"waitt x 1; W y 1 | waitt y 1; W x 1",
	"D d 1; D d 2 | P d; P d",
	"D d 1; P d",
}

// Programs made by hand for single edges, and for the ways in which a load reads from later.
func TestNamedPrograms(t *testing.T) {
	for _, m := range []*Model{&Arm, &TSO, &SC} {
		for _, text := range named {
			want, ok := enumerate(text, m.Name, 1_000_000, 1)
			got, _ := executions(t, text, m)
			if s := compare(want, got); !ok || s != "" {
				t.Errorf("%s: %s\n%s", m.Name, text, s)
			}
		}
	}
}

// redundant are the edges that other edges imply, or that order what these programs do not have.
var redundant = map[string][]string{
	"arm": {"rmw", "one message"}, "tso": {"rmw", "one message"}, "sc": {},
}

// Without any edge of a table, a published set of outcomes or a program differs, unless others imply the edge.
func TestMutations(t *testing.T) {
	sets := rows(t, "litmus-sets.tsv")
	for _, m := range []*Model{&Arm, &TSO, &SC} {
		var programs []sample
		for _, text := range named {
			want, _ := enumerate(text, m.Name, 1_000_000, 1)
			programs = append(programs, sample{text: text, want: want})
		}
		programs = append(programs, samples(m.Name, 0, long(1000, 50))...)
		for i := range m.Edges {
			mutated := *m
			mutated.Edges = slices.Delete(slices.Clone(m.Edges), i, i+1)
			by := ""
			if m == &Arm {
				by = noticed(t, &mutated, sets)
			}
			for k := 0; by == "" && k < len(programs); k++ {
				if got, _ := executions(t, programs[k].text, &mutated); compare(programs[k].want, got) != "" {
					by = programs[k].text
				}
			}
			implied := slices.Contains(redundant[m.Name], m.Edges[i].Name)
			t.Logf("%s without %s: %s", m.Name, m.Edges[i].Name, by)
			if implied != (by == "") {
				t.Errorf("%s without %s: found by %q, named as redundant: %v", m.Name, m.Edges[i].Name, by, implied)
			}
		}
	}
}

// noticed is the first row whose set of outcomes a model does not give.
func noticed(t *testing.T, m *Model, sets []*litmus) string {
	for _, l := range sets {
		if got, _, _ := l.explored(t, m); !slices.Equal(got, l.sets) {
			return l.name
		}
	}
	return ""
}

func compare(want map[string]bool, got map[string]int) string {
	var list []string
	for k, n := range got {
		if n > 1 {
			list = append(list, fmt.Sprintf("%d times:\n%s", n, k))
		}
		if !want[k] {
			list = append(list, "only in the explorer:\n"+k)
		}
	}
	for k := range want {
		if got[k] == 0 {
			list = append(list, "only in the axioms:\n"+k)
		}
	}
	sort.Strings(list)
	if len(list) > 3 {
		list = append(slices.Clone(list[:3]), fmt.Sprint(len(list)-3, " more"))
	}
	return strings.Join(list, "\n\n")
}
