package graph_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// reproductions are programs of which an exploration of store buffers against one clock said what is not so, in both
// directions. An execution has all of the lines, as [Execution.Name] has them.
var reproductions = []struct {
	name, program string
	models        []*Model
	lines         []string
	comes         bool
}{
	{
		"a wait sees the first of two equal values", "W x 1; W x 2; W y 1; W x 1 | wait x 1; R y",
		[]*Model{&Arm, &TSO, &SC}, []string{"1.0 x reads 0.0", "1.1 y reads init"}, true,
	},
	{
		"... or only the last", "W x 1; W x 2; W y 1; W x 1 | wait x 1; R y",
		[]*Model{&Arm, &TSO, &SC}, []string{"1.0 x reads 0.3", "1.1 y reads 0.2"}, true,
	},
	{
		"... and does not hang", "W x 1; W x 2; W y 1; W x 1 | wait x 1; R y",
		[]*Model{&Arm, &TSO, &SC}, []string{"1.0 x hangs"}, false,
	},
	{
		"a wait misses a value and times out", "W x 2; W x 1 | waitt x 2", []*Model{&Arm, &TSO, &SC},
		[]string{"expired 1.0"}, true,
	},
	{
		"data beside its flag in one word", "W x0 1; W x4 1 | R x4; R x0", []*Model{&Arm},
		[]string{"1.0 x4 reads 0.1", "1.1 x0 reads init"}, true,
	},
	{
		"a store before an earlier load", "R x; W y 1 | R y; W x 1", []*Model{&Arm},
		[]string{"0.0 x reads 1.1", "1.0 y reads 0.1"}, true,
	},
	{
		"a release of SWPL covers its own write only", "W x 1; SWPL y 1; W z 1 | R z; dmb ish; R x", []*Model{&Arm},
		[]string{"1.0 z reads 0.2", "1.2 x reads init"}, true,
	},
	{
		"... and that of STLXR", "W x 1; LDXR y; STLXR y 1; W z 1 | R z; dmb ish; R x", []*Model{&Arm},
		[]string{"1.0 z reads 0.3", "1.2 x reads init"}, true,
	},
	{
		"a poll of ISR_EL1 orders nothing", "W x 1; dsb ishst; msr 1 | mrs 1; R x", []*Model{&Arm},
		[]string{"1.0 irq1 reads 0.2", "1.1 x reads init"}, true,
	},
	{
		"... but a DSB behind it", "W x 1; dsb ishst; msr 1 | mrs 1; dsb ld; R x", []*Model{&Arm, &TSO},
		[]string{"1.0 irq1 reads 0.2", "1.2 x reads init"}, false,
	},
	{
		"DSB ST holds up later loads", "W x 1; dsb st; R y | W y 1; dsb st; R x", []*Model{&Arm},
		[]string{"0.2 y reads init", "1.2 x reads init"}, false,
	},
	{
		"DSB ISHST does not order earlier loads", "R x; dsb ishst; W y 1 | R y; dmb ish; W x 1", []*Model{&Arm},
		[]string{"0.0 x reads 1.2", "1.0 y reads 0.2"}, true,
	},
	{
		"SWPAL is a full barrier", "W x 1; SWPAL z 1; R y | W y 1; SWPAL w 1; R x", []*Model{&Arm},
		[]string{"0.2 y reads init", "1.2 x reads init"}, false,
	},
	{
		"a write of an equal value does not pass an atomic", "SWP x 1 | W x 0", []*Model{&Arm, &TSO, &SC},
		[]string{"0.0 x reads init", "x: 1.0 0.0'"}, false,
	},
	{
		"a device register, DSB, ISB, load", "W x 1; dmb st; D d 1 | P d; dsb sy; isb; R x", []*Model{&Arm},
		[]string{"1.0 d reads 0.2'", "1.3 x reads init"}, false,
	},
}

func TestReproductions(t *testing.T) {
	for _, c := range reproductions {
		for _, m := range c.models {
			got, _ := executions(t, c.program, m)
			came := false
			for name := range got {
				lines := strings.Split(name, "\n")
				all := true
				for _, line := range c.lines {
					all = all && slices.Contains(lines, line)
				}
				came = came || all
			}
			if came != c.comes {
				t.Errorf("%s, %s: %s: %v came: %v", c.name, m.Name, c.program, c.lines, came)
			}
		}
	}
}
