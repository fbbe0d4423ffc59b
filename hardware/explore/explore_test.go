package explore

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/hwscript/hwscript/hardware/sim"
)

// counters are programs that add to shared locations: read, then write one more.
type counters struct {
	engine *sim.Engine
	procs  []*sim.Proc
	turns  int
	value  [2]int
}

func newCounters(procs, turns int) *counters {
	c := &counters{engine: sim.NewEngine(), turns: turns}
	for i := range procs {
		c.procs = append(c.procs, c.engine.NewProc(fmt.Sprint("P", i), nil))
	}
	return c
}

func (c *counters) Engine() *sim.Engine { return c.engine }

func (c *counters) Begin() {
	c.value = [2]int{}
	for _, p := range c.procs {
		p.Start(c, c.engine.Now())
	}
}

func (c *counters) Run(p *sim.Proc) {
	for turn := range c.turns {
		at := turn % 2
		p.Announce(sim.Footprint{Object: sim.Object(1 + at)})
		v := c.value[at]
		p.Announce(sim.Footprint{Object: sim.Object(1 + at), Write: true})
		c.value[at] = v + 1
	}
}

func (c *counters) End(Ending) Verdict {
	v := Verdict{Outcome: uint64(c.value[0] + 100*c.value[1])}
	if want := (c.turns + 1) / 2 * len(c.procs); c.value[0] != want {
		v.Finding = fmt.Sprintf("%d additions are lost", want-c.value[0])
	}
	return v
}

func run(t *testing.T, o Options, procs, turns int) *Report {
	t.Helper()
	r, err := Explore(o, func() (Subject, error) { return newCounters(procs, turns), nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func results(r *Report) string {
	s := ""
	for _, o := range r.Outcomes {
		s += fmt.Sprint(o.Outcome, " ")
	}
	return s
}

// Every strategy finds the lost addition; those that are exhaustive find the same outcomes, with fewer executions.
func TestStrategies(t *testing.T) {
	plain := run(t, Options{Strategy: Plain}, 2, 2)
	reduced := run(t, Options{}, 2, 2)
	if results(plain) != results(reduced) || reduced.Executions*3 > plain.Executions {
		t.Errorf("%s in %d executions, without reduction %s in %d", results(reduced), reduced.Executions, results(plain),
			plain.Executions)
	}
	for _, s := range []Strategy{Plain, Exhaustive, Bounded, Random} {
		r := run(t, Options{Strategy: s, Preemptions: -1, Executions: 100_000}, 2, 3)
		if r.Failure == nil || r.Verified() {
			t.Fatalf("%s: %s", s, r)
		}
		v, steps := Replay(newCounters(2, 3), Options{}, r.Failure.Schedule)
		if v.Finding != r.Failure.Finding || steps != r.Failure.Length {
			t.Errorf("%s: replayed to %q in %d steps, found %q in %d", s, v.Finding, steps, r.Failure.Finding,
				r.Failure.Length)
		}
		if s == Bounded && r.Bound != 1 {
			t.Errorf("found with %d preemptions, 1 is enough", r.Bound)
		}
	}
}

// Results do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for _, o := range []Options{{}, {Executions: 9_000}, {Strategy: Random, Executions: 5_000, Seed: 7}} {
		one := run(t, o, 3, 3)
		if o.Strategy == Exhaustive && one.Executions < serialExecutions {
			t.Fatalf("%d executions: too few to need workers", one.Executions)
		}
		for _, workers := range []int{2, 3} {
			o.Workers = workers
			if r := run(t, o, 3, 3); !reflect.DeepEqual(r, one) {
				t.Errorf("%d workers: %+v\none worker: %+v", workers, *r, *one)
			}
		}
	}
}

func TestLimitsAreReported(t *testing.T) {
	stopped := 0
	for _, c := range []struct {
		o    Options
		want Limit
	}{
		{Options{Executions: 10}, ExecutionLimit},
		{Options{Steps: 3}, StepLimit},
		{Options{Strategy: Random, Executions: 10}, Sampled},
		{Options{Strategy: Bounded, Preemptions: 0}, PreemptionLimit},
		{Options{Stop: func() bool { stopped++; return stopped > 2 }}, Stopped},
	} {
		if r := run(t, c.o, 3, 2); r.Limits != c.want || r.Verified() {
			t.Errorf("%+v: limits %d, expected %d: %s", c.o, r.Limits, c.want, r)
		}
	}
}

func TestTokens(t *testing.T) {
	want := Token{Name: "gic/sgi", Params: "barrier=none", Seed: 1 << 60, Schedule: Schedule{0, 0, 3, 1, 0, 2}}
	text := want.String()
	got, err := ParseToken(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %+v, %v", text, got, err)
	}
	for i := range text {
		damaged := text[:i] + string('A'+(text[i]+1)%26) + text[i+1:]
		if damaged == text {
			continue
		}
		if _, err := ParseToken(damaged); err == nil {
			t.Errorf("%s is taken for a token", damaged)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(Token{Name: "a", Schedule: Schedule{1}}.String())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := ParseToken(text)
		if err != nil {
			return
		}
		if again, err := ParseToken(token.String()); err != nil || again.String() != token.String() {
			t.Fatalf("%q: %+v, then %+v, %v", text, token, again, err)
		}
	})
}
