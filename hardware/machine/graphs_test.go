package machine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
)

// graphTest is an exploration of a small machine: what its programs noted, and what was wrong, each counted.
type graphTest struct {
	t       *testing.T
	m       *machine.Machine
	timers  bool
	x, y, z uint64 // lines of memory
	seen    []string
	model   *graph.Model
}

func newGraphTest(t *testing.T, cpus int) *graphTest {
	t.Helper()
	return newGraphTestWith(t, cpus, func(*machine.Spec) {})
}

func newGraphTestWith(t *testing.T, cpus int, change func(s *machine.Spec)) *graphTest {
	t.Helper()
	g := &graphTest{t: t, model: &graph.Arm, m: boot(t, "virt", func(s *machine.Spec) {
		s.CPUs, s.Jitter = cpus, false
		change(s)
	})}
	at, err := g.m.Memory.Alloc(3 * mem.LineSize)
	if err != nil {
		t.Fatal(err)
	}
	g.x, g.y, g.z = at, at+mem.LineSize, at+2*mem.LineSize
	return g
}

// note adds to what an execution has shown.
func (g *graphTest) note(format string, args ...any) {
	g.seen = append(g.seen, fmt.Sprintf(format, args...))
}

func (g *graphTest) pe(c *cpu.CPU) *arm.PE { return armBoard(g.m).PE(c.ID) }

// explore answers what came, a line for each kind of execution: the notes in order of their words, and the problem.
func (g *graphTest) explore(programs ...func(c *cpu.CPU)) []string {
	g.t.Helper()
	lines, r, err := g.tryExplore(programs...)
	if err != nil {
		g.t.Fatal(err)
	}
	if r.Limits != 0 {
		g.t.Errorf("limits %v", r.Limits)
	}
	return lines
}

func (g *graphTest) tryExplore(programs ...func(c *cpu.CPU)) ([]string, *graph.Report, error) {
	g.t.Helper()
	x, err := g.m.Graphs()
	if err != nil {
		g.t.Fatal(err)
	}
	x.Timers = g.timers
	p := x.Program(func(c *cpu.CPU) func() {
		if c.ID >= len(programs) || programs[c.ID] == nil {
			return nil
		}
		return func() { programs[c.ID](c) }
	})
	var lines []string
	p.Begin = func() { lines = nil }
	p.Restart = func() { g.seen = nil }
	p.End = func(e *graph.Execution) graph.Verdict {
		slices.Sort(g.seen)
		problem := x.Problem(e)
		line := strings.Join(g.seen, " ")
		if problem != "" {
			line += "! " + problem
		}
		if at, found := slices.BinarySearch(lines, line); !found {
			lines = slices.Insert(lines, at, line)
		}
		return graph.Verdict{Finding: problem}
	}
	r, err := graph.Explore(p, g.model, graph.Options{Executions: 100_000})
	if err == nil {
		g.t.Logf("%d executions, %d steps (%d dead): %q", r.Executions, r.Steps, r.Dead, lines)
		if r.Executions == 0 {
			g.t.Error("nothing was explored")
		}
	}
	return lines, r, err
}

// want compares what came.
func (g *graphTest) want(got []string, want ...string) {
	g.t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		g.t.Errorf("got %q, want %q", got, want)
	}
}

// TestGraphsBeginOnce: what an exploration leaves cannot be taken for the state that another begins from, in which
// interrupts would be missing.
func TestGraphsBeginOnce(t *testing.T) {
	g := newGraphTest(t, 2)
	x, err := g.m.Graphs()
	if err != nil {
		t.Fatal(err)
	}
	want := "virt has been explored: expected a machine of its own for each exploration"
	if _, err := g.m.Graphs(); err == nil || err.Error() != want {
		t.Errorf("a second time: got %v, want %s", err, want)
	}
	idle := func(*cpu.CPU) func() { return nil }
	x.Program(idle)
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "BUG: a second program") {
			t.Errorf("a second program: %q", text)
		}
	}()
	x.Program(idle)
}

const noEvent = "! deadlock: CPU0 waits for an event"

// DDI 0487, D1.6, WFE wake-up events; Linux's __cmpwait waits so. A waiter that has looked with a load-exclusive is
// woken by the write itself.
func TestGraphMonitorEvent(t *testing.T) {
	for _, c := range []struct {
		name   string
		look   func(g *graphTest, c *cpu.CPU) uint64
		writer func(g *graphTest, c *cpu.CPU)
		want   []string
	}{
		{"LDXR, a store", loadExclusive, func(g *graphTest, c *cpu.CPU) { c.Store(g.x, 8, 1, bus.Plain) }, []string{"saw 1"}},
		{"LDR, a store", loadPlain, func(g *graphTest, c *cpu.CPU) { c.Store(g.x, 8, 1, bus.Plain) },
			[]string{noEvent, "saw 1"}},
		{"LDXR, a store of the same value, then another", loadExclusive, func(g *graphTest, c *cpu.CPU) {
			c.Store(g.x, 8, 0, bus.Plain)
			c.Store(g.x, 8, 1, bus.Plain)
		}, []string{"saw 1"}},
		{"LDXR, CLREX, a store", func(g *graphTest, c *cpu.CPU) uint64 {
			v := c.LoadExclusive(g.x, 8, bus.Plain)
			c.ClearExclusive()
			return v
		}, func(g *graphTest, c *cpu.CPU) { c.Store(g.x, 8, 1, bus.Plain) }, []string{noEvent, "saw 1"}},
		{"LDXR, a store elsewhere", loadExclusive, func(g *graphTest, c *cpu.CPU) { c.Store(g.y, 8, 1, bus.Plain) },
			[]string{noEvent}},
		{"LDR, a store, SEV", loadPlain, func(g *graphTest, c *cpu.CPU) {
			c.Store(g.x, 8, 1, bus.Plain)
			g.pe(c).SendEvent()
		}, []string{noEvent, "saw 1"}},
		{"LDR, a store, DSB ISHST, SEV", loadPlain, func(g *graphTest, c *cpu.CPU) {
			c.Store(g.x, 8, 1, bus.Plain)
			c.Fence(arm.DSBISHST)
			g.pe(c).SendEvent()
		}, []string{"saw 1"}},
		{"LDR, a store, DMB ISHST, SEV", loadPlain, func(g *graphTest, c *cpu.CPU) {
			c.Store(g.x, 8, 1, bus.Plain)
			c.Fence(arm.DMBISHST)
			g.pe(c).SendEvent()
		}, []string{noEvent, "saw 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGraphTest(t, 2)
			g.want(g.explore(func(pe *cpu.CPU) {
				for {
					v := c.look(g, pe)
					loaded := pe.Loaded()
					pe.Branch(loaded)
					if v != 0 {
						g.note("saw %d", v)
						return
					}
					g.pe(pe).WaitForEvent()
				}
			}, func(pe *cpu.CPU) { c.writer(g, pe) }), c.want...)
		})
	}
}

func loadExclusive(g *graphTest, c *cpu.CPU) uint64 { return c.LoadExclusive(g.x, 8, bus.Plain) }
func loadPlain(g *graphTest, c *cpu.CPU) uint64     { return c.Load(g.x, 8, bus.Plain) }

// SEVL makes the next WFE go on, and that only.
func TestGraphLocalEvent(t *testing.T) {
	g := newGraphTest(t, 2)
	g.want(g.explore(func(c *cpu.CPU) {
		g.pe(c).SendLocalEvent()
		g.pe(c).WaitForEvent()
		g.note("woke up")
		g.pe(c).WaitForEvent()
		g.note("twice")
	}), "woke up"+noEvent)
}

// sgiTo is the value of ICC_SGI1R_EL1 that sends an SGI to one PE of a small machine.
func (g *graphTest) sgiTo(intid uint64, target int) uint64 {
	return gic.ICC_SGI1R_EL1_TargetList.Put(gic.ICC_SGI1R_EL1_INTID.Put(0, intid), 1<<target)
}

// handle installs a handler that notes the interrupts that a CPU takes, and does something.
func (g *graphTest) handle(target int, do func(c *cpu.CPU, intid uint64)) {
	g.m.CPUs[target].SetVector(graphVector(func(c *cpu.CPU) {
		intid, _ := c.ReadSys(gic.ICC_IAR1_EL1)
		c.Branch(c.Loaded())
		if intid == uint64(gic.Spurious) {
			g.note("spurious")
			return
		}
		do(c, intid)
		c.WriteSys(gic.ICC_EOIR1_EL1, intid)
		c.WriteSys(gic.ICC_DIR_EL1, intid)
	}))
}

type graphVector func(c *cpu.CPU)

func (v graphVector) IRQ(c *cpu.CPU) { v(c) }

// A masked interrupt ends a WFI and no WFE (DDI 0487, D1.6); one that is not masked is taken, and its return is an
// event.
func TestGraphWaitMasked(t *testing.T) {
	for _, c := range []struct {
		name   string
		masked bool
		wait   func(pe *arm.PE)
		want   []string
	}{
		{"WFE, masked", true, (*arm.PE).WaitForEvent, []string{noEvent, "took went"}}, // it comes before the mask
		{"WFE", false, (*arm.PE).WaitForEvent, []string{"took went"}},
		{"WFI, masked", true, func(pe *arm.PE) { pe.WaitForInterrupt() },
			[]string{"took went", "took! deadlock: CPU0 waits for an interrupt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGraphTest(t, 2)
			g.handle(0, func(*cpu.CPU, uint64) { g.note("took") })
			g.want(g.explore(func(pe *cpu.CPU) {
				pe.MaskIRQ(c.masked)
				c.wait(g.pe(pe))
				g.note("went")
				pe.MaskIRQ(false)
			}, func(pe *cpu.CPU) { pe.WriteSys(gic.ICC_SGI1R_EL1, g.sgiTo(1, 0)) }), c.want...)
		})
	}
}

// An SGI may be overtaken by a later one of the same PE, whatever barrier stands between: IHI 0069 promises no order,
// and a DSB waits for no system register. What is before the first is before the second.
func TestGraphSGIOvertaken(t *testing.T) {
	for _, barrier := range []bool{false, true} {
		g := newGraphTest(t, 2)
		order := ""
		g.handle(0, func(_ *cpu.CPU, intid uint64) {
			if order += fmt.Sprint(intid); len(order) == 2 {
				g.note("took %s", order)
			}
		})
		g.want(g.explore(func(*cpu.CPU) { order = "" }, func(c *cpu.CPU) {
			c.WriteSys(gic.ICC_SGI1R_EL1, g.sgiTo(1, 0))
			if barrier {
				c.Fence(arm.DSBSY)
			}
			c.WriteSys(gic.ICC_SGI1R_EL1, g.sgiTo(2, 0))
		}), "took 12", "took 21")
	}
}
