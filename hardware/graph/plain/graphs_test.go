package plain

import (
	"slices"
	"strings"
	"testing"
)

func mustEnumerate(t *testing.T, text string, options Options) *Result {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Enumerate(p, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Numbers of graphs that can be counted by hand.
func TestGraphCounts(t *testing.T) {
	increment := "ldxr.8 r0, [x]; add r1, r0, 1; stxr.8 r2, r1, [x]"
	cases := []struct {
		name, cells, threads string
		fail                 bool
		want                 int
	}{
		{"private stores", "a b c d", "str.8 1, [a]; str.8 1, [b] | str.8 1, [c]; str.8 1, [d]", false, 1},
		{"two stores", "x", "str.8 1, [x] | str.8 1, [x]", false, 2},
		{"three increments, each succeeds", "x", increment + "|" + increment + "|" + increment, false, 6},
		{"two increments, one may fail", "x", increment + "|" + increment, true, 2 + 4 + 1},
		{"three LDADD", "x", "ldadd.8 r0, 1, [x] | ldadd.8 r0, 1, [x] | ldadd.8 r0, 1, [x]", false, 6},
		{"two device reads of one state", "dev", "ldr.8 r0, [dev] | ldr.8 r0, [dev]", false, 1},
		{"SB", "x y", "str.8 1, [x]; ldr.8 r0, [y] | str.8 1, [y]; ldr.8 r0, [x]", false, 4},
		{"halves that do not meet", "x", "str.4 1, [x] | str.4 1, [x+4]", false, 1},
		{"an interrupt before or after a load", "x", "sgi 1, 5 | ldr.8 r0, [x]; handler 5; ldr.8 r12, [x]", false, 2},
		{"a wait that is never satisfied", "x", "str.8 1, [x]; str.8 2, [x] | wait.8 r0, [x], ge, 9", false, 1},
		{"two interrupts that may merge", "x", "sgi 1, 5; sgi 1, 5 | handler 5; ldr.8 r12, [x]", false, 2},
	}
	for _, c := range cases {
		text := build(c.cells, c.threads)
		result := mustEnumerate(t, text, Options{Model: Arm, FailExclusive: c.fail, Graphs: true})
		if len(result.Graphs) != c.want || len(result.Hashes) != c.want {
			t.Errorf("%s: %d graphs and %d hashes, want %d\n%s", c.name, len(result.Graphs), len(result.Hashes), c.want,
				strings.Join(result.Graphs, "\n"))
		}
		for _, g := range result.Graphs {
			if !slices.Contains(result.Hashes, Hash(g)) {
				t.Errorf("%s: a graph without its hash", c.name)
			}
		}
	}
}

// The text of a graph, with each kind of line.
func TestGraphText(t *testing.T) {
	result := mustEnumerate(t, build("x", "str.4 1, [x]; dsb ish; sgi 1, 5 | str.4 2, [x+4]; handler 5; ldr.8 r12, [x]"),
		Options{Model: Arm, Graphs: true})
	want := `0.0 W x/4=1
0.1 SGI 1:5
1.0 W x+4/4=2
1.1 TAKE 5
1.2 R x/8=8589934593 < 0.0@0 1.0@4
1.3 ERET
co x/4: 0.0
co x+4/4: 1.0
irq 1:5: {0.1} 1.1
`
	if !slices.Contains(result.Graphs, want) {
		t.Errorf("no graph is\n%s\nbut there are\n%s", want, strings.Join(result.Graphs, "\n"))
	}
}

// What does not parse is refused with its line, and what has no end is refused too.
func TestBadPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"cell x 0\nthread\nldr.3 r0, [x]":                       `line 3: ldr.3 r0, [x]: size "3"`,
		"thread\nldr.8 r0, [y]":                                 `unknown cell "y"`,
		"cell x 0\nthread\nldr.8 r16, [x]":                      `register "r16"`,
		"thread\nfrob":                                          `unknown instruction "frob"`,
		"thread\ndmb ishx":                                      `unknown barrier option "ishx"`,
		"thread\nl:\ncbz r0, l":                                 `no label "l" further on`,
		"thread\nsgi 1, 5":                                      "no thread 1 to interrupt",
		"cell x 0\nthread\nldr.8 r0, [x]\nhandler 5\nmov r0, 1": "handler 5 shares r0",
		"cell x 0\nthread\nwait.8 r0, [x], gt, 1":               `unknown test "gt"`,
		"mov r0, 1":                                             "before the first thread",
		"cell x 0\nthread\nstr.8 1, [x], 2":                     "3 operands, want 2",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := Parse("cell x 0\nthread\nsgi 0, 5\nhandler 5\nsgi 0, 5\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Enumerate(p, Options{Model: Arm}); err == nil {
		t.Error("a handler that calls itself for ever was enumerated")
	}
}
