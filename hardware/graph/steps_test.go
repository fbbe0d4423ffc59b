package graph_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// failing is a program whose executions fail if they have all of the lines, as [Execution.Name] has them.
func failing(text string, lines ...string) *Program {
	p := compiled(text)
	p.End = func(e *Execution) Verdict {
		name := e.Name(func(at uint64, size uint8) []string { return namesOf(text, at, size) })
		for _, line := range lines {
			if !strings.Contains("\n"+name+"\n", "\n"+line+"\n") {
				return Verdict{}
			}
		}
		return Verdict{Finding: "all come"}
	}
	return p
}

// listed is an execution in words: the thread and number of each operation, what it reads, and from which.
func listed(text string, steps []Step) (list []string) {
	for _, s := range steps {
		where := ""
		if s.Size > 0 {
			where = " " + strings.Join(namesOf(text, s.At, s.Size), " ")
		}
		line := fmt.Sprintf("%d.%d %s%s", s.Thread, s.Op, [...]string{
			StepRead: "R", StepWrite: "W", StepAtomic: "A", StepBegin: "begin", StepEnd: "end", StepFence: "fence",
			StepSynchronize: "sync", StepPoint: "point", StepTake: "take", StepFailed: "fail",
		}[s.Kind], where)
		switch {
		case s.Forever:
			line += " for ever"
		case s.From == Initial:
			line += fmt.Sprintf(" %d from nowhere", uint32(s.Read))
		case s.From >= 0:
			line += fmt.Sprintf(" %d from %d.%d", uint32(s.Read), steps[s.From].Thread, steps[s.From].Op)
		}
		for _, m := range []struct {
			is   bool
			word string
		}{{s.Private, "private"}, {s.Late, "late"}, {s.Expired, "expired"}} {
			if m.is {
				line += " " + m.word
			}
		}
		list = append(list, line)
	}
	return list
}

// shownExecutions are executions as a reader meets them.
var shownExecutions = []struct {
	name, text string
	lines      []string
	want       string
}{
	{
		"a message without a barrier", "W x 1; W y 1; W z 5 | R y; R x", []string{"1.0 y reads 0.1", "1.1 x reads init"},
		"0.1 W y; 1.0 R y 1 from 0.1; 1.1 R x 0 from nowhere; 0.0 W x late; 0.2 W z private",
	},
	{
		"a barrier for loads between stores", "W x 1; dmb ishld; W y 1 | R y; dmb ishld; R x",
		[]string{"1.0 y reads 0.2", "1.2 x reads init"},
		"0.1 fence; 0.2 W y; 1.0 R y 1 from 0.2; 1.1 fence; 1.2 R x 0 from nowhere; 0.0 W x late",
	},
	{
		"load buffering", "R x; W y 1 | R y; W x 1", []string{"0.0 x reads 1.1", "1.0 y reads 0.1"},
		"0.1 W y; 1.0 R y 1 from 0.1; 1.1 W x; 0.0 R x 1 from 1.1 late",
	},
	{
		"a store between the halves of an atomic", "W x 1; SWPL y 1 | R y; dmb ish; W x 2; dmb ish; W z 1; R z",
		[]string{"1.0 y reads init", "x: 1.2 0.0"},
		"1.0 R y 0 from nowhere; 1.1 fence; 1.2 W x; 1.3 fence; 1.4 W z private; 1.5 R z 1 from 1.4 private; " +
			"0.0 W x; 0.1 A y 0 from nowhere",
	},
	{
		"others between the halves", "SWPA y 1; R x | W x 1; dmb ish; R y",
		[]string{"0.1 x reads init", "1.2 y reads init"},
		"0.0 begin y 0 from nowhere; 0.1 R x 0 from nowhere; 1.0 W x; 1.1 fence; 1.2 R y 0 from nowhere; 0.0 end y late",
	},
	{
		"a wait for ever", "W x 1 | wait x 2", nil, "0.0 W x; 1.0 R x for ever",
	},
	{
		"a deadline", "W x 1 | waitt x 2; W x 3", nil, "0.0 W x; 1.0 R x 1 from 0.0 expired; 1.1 W x",
	},
	{
		"an interrupt", "W x 1; dmb ishst; msr 1 | R y ! R x", []string{"1.0 irq1 reads 0.2", "1.1 x reads init"},
		"0.2 W irq1; 1.0 take irq1 1 from 0.2; 1.1 R x 0 from nowhere; 1.2 sync private; 1.3 R y 0 from nowhere private; " +
			"0.0 W x late; 0.1 fence late",
	},
	{
		"an interrupt at a wait", "msr 1; W x 1 | wait x 2 ! W x 2", []string{"1.0 irq1 reads 0.0"},
		"0.0 W irq1; 0.1 W x; 1.0 take irq1 1 from 0.0; 1.1 W x; 1.2 sync private; 1.3 R x 2 from 1.1",
	},
	{
		"an interrupt at a wait that has a deadline", "msr 1; W y 1 | waitt x 2; R y ! W y 2",
		[]string{"1.0 irq1 reads 0.0"},
		"0.0 W irq1; 0.1 W y; 1.0 take irq1 1 from 0.0; 1.1 W y; 1.2 sync private; " +
			"1.3 R x 0 from nowhere private expired; 1.4 R y 2 from 1.1",
	},
	{
		"fewer turns, if thread 1 is first", "W x 1; R y | R x; W y 1", []string{"0.1 y reads 1.1"},
		"1.0 R x 0 from nowhere; 1.1 W y; 0.0 W x; 0.1 R y 1 from 1.1",
	},
	{
		"an SGI that nobody takes", "W x 1; msr 1 | R x", []string{"1.0 x reads 0.0"},
		"0.0 W x; 0.1 W irq1; 1.0 R x 1 from 0.0",
	},
}

func TestShow(t *testing.T) {
	for _, c := range shownExecutions {
		p := failing(c.text, c.lines...)
		r, err := Explore(p, &Arm, Options{})
		if err != nil || r.Failure == nil {
			t.Fatalf("%s: %v, %+v", c.name, err, r)
		}
		steps, v, found, err := Show(p, &Arm, Options{}, r.Failure.Path, nil)
		got := strings.Join(listed(c.text, steps), "; ")
		if err != nil || !found || v.Finding != "all come" || got != c.want {
			t.Errorf("%s: %s\n\tgave %s\n\twant %s\n\t%v %v %v", c.name, c.text, got, c.want, v, found, err)
		}
	}
}

// Every finding is repeated by its path, and a path of another program leads nowhere.
func TestShowRepeats(t *testing.T) {
	shown := 0
	texts := []string{ // a location is met in halves first
		"R z; ctrl; isb; R x0; A x ! W x 1 | W z 2 | msr 0; Q y4; ctrl; isb; W y 3; msr 0",
	}
	for seed := range uint64(long(600, 60)) {
		texts = append(texts, randomProgram(seed))
	}
	for _, text := range texts {
		p, o := hashed(text), Options{Failures: 1}
		r, err := Explore(p, &Arm, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			steps, v, found, err := Show(hashed(text), &Arm, o, f.Path, nil)
			if err != nil || !found || v.Finding != f.Finding || len(steps) == 0 {
				t.Fatalf("%s\n%v: %v %v %v", text, f.Path, v, found, err)
			}
			shown++
			longer := f.Path
			longer.Choices = append(longer.Choices[:len(longer.Choices):len(longer.Choices)], 0)
			if _, _, found, _ := Show(p, &Arm, o, longer, nil); found {
				t.Fatalf("%s: a longer path leads somewhere", text)
			}
		}
	}
	t.Logf("%d shown", shown)
}
