package machine_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// traceLog is a tracer that keeps everything.
type traceLog struct{ strings.Builder }

func (l *traceLog) Trace(at sim.Time, source, what string) {
	fmt.Fprintf(l, "%d %s %s\n", at, source, what)
}

// A traced machine makes calls from two CPUs at once, so that there is something to order.
type traced struct {
	*machine.Machine
	log traceLog
}

// few leaves 40 CPUs, in as few sockets as they fit.
func few(s *machine.Spec) {
	perSocket := s.Dies * s.Clusters * s.Cores
	s.CPUs = min(s.CPUs, 40)
	s.Sockets = (s.CPUs + perSocket - 1) / perSocket
}

func newTraced(t *testing.T, preset string) *traced {
	t.Helper()
	m := &traced{Machine: boot(t, preset, few)}
	m.Engine.Attach(sim.TextTracer(m.log.Trace))
	return m
}

// calls spawns n calls on each of CPUs 0 and 1.
func (m *traced) calls(t *testing.T, n int) {
	t.Helper()
	for caller := range 2 {
		c := m.CPUs[caller]
		if err := m.Spawn(caller, program(func() { m.call(t, c, n) })); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *traced) call(t *testing.T, c *cpu.CPU, n int) {
	for i := range n {
		target := (i*7 + c.ID) % len(m.CPUs)
		if err := m.Kernel.SMPCallFunctionSingle(c, target, nil, 0, i%5 != 4); err != nil {
			t.Error(err)
		}
	}
}

func (m *traced) drive(t *testing.T) {
	t.Helper()
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
}

// TestDeterminism: 20 calls leave the same trace to the byte, whatever else the process does, whether programs run
// ahead, on any number of processors, and if the drive is stopped in between.
func TestDeterminism(t *testing.T) {
	for _, preset := range machine.Presets() {
		want := newTraced(t, preset)
		want.calls(t, 20)
		want.drive(t)
		same := func(name string, m *traced) {
			t.Helper()
			if diff := cmp.Diff(strings.Split(want.log.String(), "\n"), strings.Split(m.log.String(), "\n")); diff != "" {
				t.Errorf("%s, %s: traces differ (-want +got):\n%.2000s", preset, name, diff)
			}
		}
		if strings.Count(want.log.String(), "smp_call_function_single(") != 40 {
			t.Errorf("%s: a trace of 40 calls has\n%s", preset, want.log.String())
		}

		eager := newTraced(t, preset)
		eager.Engine.SetEager(true)
		eager.calls(t, 20)
		eager.drive(t)
		same("without run-ahead", eager)

		one := runtime.GOMAXPROCS(1)
		single := newTraced(t, preset)
		single.calls(t, 20)
		single.drive(t)
		runtime.GOMAXPROCS(one)
		same("on one processor", single)

		first, second := newTraced(t, preset), newTraced(t, preset)
		for _, m := range []*traced{first, second} {
			m.calls(t, 20)
			stops := 0
			m.Engine.SetStop(func() bool { stops++; return stops%3 != 0 })
		}
		for unfinished := 2; unfinished > 0; {
			unfinished = 0
			for _, m := range []*traced{first, second} {
				if err := m.Drive(nil); errors.Is(err, sim.ErrStopped) {
					unfinished++
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		same("one of two, stopped again and again", first)
		same("the other of two", second)
	}
}

// TestShortWays: an untraced machine takes short ways through the choke point. Whether it does cannot be told from what
// it has done: time, what each CPU has counted and spent, what is in memory, and the state of the GIC.
func TestShortWays(t *testing.T) {
	for _, preset := range machine.Presets() {
		for _, cpus := range []int{16, 24, 31, 32, 33, 34, 36, 40} {
			for _, polling := range []bool{true, false} {
				after := func(eager bool) string {
					m := &traced{Machine: boot(t, preset, func(s *machine.Spec) {
						s.CPUs = cpus
						few(s)
						s.Linux.PollingIdle = polling
					})}
					m.Engine.SetEager(eager)
					m.calls(t, 60)
					m.drive(t)
					return state(t, m.Machine)
				}
				if diff := cmp.Diff(after(true), after(false)); diff != "" {
					t.Errorf("%s, %d CPUs, polling_idle %t: states differ (-eager +short):\n%.1000s", preset, cpus, polling, diff)
				}
			}
		}
	}
}

// TestHandlersApart is the same for handlers that run on all CPUs at one time: of calls to all, and of pauses, which
// nest in them, while a CPU calls others one by one. There are a third less events than without, at least.
func TestHandlersApart(t *testing.T) {
	for _, jitter := range []bool{false, true} {
		fired := [2]uint64{}
		after := func(eager bool) string {
			m := &traced{Machine: boot(t, "arm80", func(s *machine.Spec) {
				s.CPUs, s.Jitter, s.Linux.Pause = 24, jitter, linux.PauseV2
			})}
			m.Engine.SetEager(eager)
			table, err := m.Lines(1, "table", 0)
			if err != nil {
				t.Fatal(err)
			}
			c := m.CPUs[0]
			if err := m.Spawn(0, program(func() {
				for i := range 20 {
					err := m.Kernel.OnEachCPU(c, nil, 0, i%2 == 0)
					masked := m.Kernel.Arch.LocalIRQSave(c)
					if err := errors.Join(err, m.Kernel.Port().UpdatePTEs(c, table, 8)); err != nil {
						t.Error(err)
					}
					m.Kernel.Arch.LocalIRQRestore(c, masked)
				}
			})); err != nil {
				t.Fatal(err)
			}
			if err := m.Spawn(1, program(func() { m.call(t, m.CPUs[1], 100) })); err != nil {
				t.Fatal(err)
			}
			m.drive(t)
			if !eager {
				fired[0] = m.Engine.Fired()
			} else {
				fired[1] = m.Engine.Fired()
			}
			return state(t, m.Machine)
		}
		if diff := cmp.Diff(after(true), after(false)); diff != "" {
			t.Errorf("jitter %t: states differ (-eager +short):\n%.2000s", jitter, diff)
		}
		if 3*fired[0] > 2*fired[1] {
			t.Errorf("jitter %t: %d events on short ways, %d without", jitter, fired[0], fired[1])
		}
	}
}

// state is all that a machine's programs can have left behind.
func state(t *testing.T, m *machine.Machine) string {
	t.Helper()
	var s strings.Builder
	fmt.Fprintln(&s, m.Now(), *m.Engine.Remarks())
	for _, c := range m.CPUs {
		c.Dump(&s, 0)
		fmt.Fprintln(&s, m.Kernel.Counts(c.ID))
	}
	gic := m.Board.(*machine.ArmBoard).GIC()
	for i := range m.CPUs {
		gic.Redistributor(i).Dump(&s)
	}
	base, _ := m.Memory.Range()
	for addr := base; addr < m.Memory.Allocated(); addr += 8 {
		if v := m.Memory.Peek(addr, 8); v != 0 {
			fmt.Fprintf(&s, "%x: %x, version %d\n", addr, v, m.Memory.Version(addr))
		}
	}
	return s.String()
}

// TestTraceInOrder: records come in the order of their times.
func TestTraceInOrder(t *testing.T) {
	m := newTraced(t, "kunpeng920")
	m.calls(t, 20)
	m.drive(t)
	last, before := sim.Time(0), ""
	for line := range strings.Lines(m.log.String()) {
		var at sim.Time
		if _, err := fmt.Sscan(line, &at); err != nil {
			t.Fatal(err)
		}
		if at < last {
			t.Errorf("out of order:\n%s%s", before, line)
		}
		last, before = at, line
	}
}

// TestSeeds: another seed is another run, the same seed the same.
func TestSeeds(t *testing.T) {
	elapsed := func(seed uint64, jitter bool) sim.Time {
		m := boot(t, "kunpeng920", func(s *machine.Spec) { s.Seed, s.Jitter = seed, jitter })
		return runLoop(t, m, 1).elapsed
	}
	if a, b, c := elapsed(1, true), elapsed(1, true), elapsed(2, true); a != b || a == c {
		t.Errorf("seed 1: %s and %s; seed 2: %s", a, b, c)
	}
	if a, b := elapsed(1, false), elapsed(2, false); a != b {
		t.Errorf("without jitter the seed shows: %s, %s", a, b)
	}
}

// TestCommonRandomNumbers: variants that make the same transfers meet the same jitter. A barrier moves everything
// behind it in time, but the n-th transfer of each line, and the n-th SGI of each wire, take what they take with any
// other barrier.
func TestCommonRandomNumbers(t *testing.T) {
	want := transfers(t, irqchip.BarrierNone)
	if len(want) < 150 {
		t.Fatalf("only %d transfers", len(want))
	}
	for _, b := range []irqchip.IPIBarrier{irqchip.BarrierDMBISH, irqchip.BarrierDSBISHST, irqchip.BarrierDSBSY} {
		if diff := cmp.Diff(want, transfers(t, b)); diff != "" {
			t.Errorf("%s (-none +%s):\n%.2000s", b, b, diff)
		}
	}
}

// transfers are the loads that took a line from elsewhere, with the time it travelled, in the order of their lines.
func transfers(t *testing.T, barrier irqchip.IPIBarrier) map[string][]string {
	t.Helper()
	m := boot(t, "kunpeng920", func(s *machine.Spec) { armSpec(s).Driver.IPIBarrier = barrier })
	runLoop(t, m, 1)
	var log traceLog
	m.Engine.Attach(sim.TextTracer(log.Trace))
	runLoop(t, m, 2)
	found := map[string][]string{}
	for line := range strings.Lines(log.String()) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 5)
		if len(words) < 5 || words[2] != "load" || words[3] == "acquire" || !strings.HasSuffix(line, ")\n") {
			continue
		}
		_, travelled, _ := strings.Cut(line, ", ")
		addr, _, _ := strings.Cut(line[strings.Index(line, "load "):], " ->")
		found[addr] = append(found[addr], words[1]+" "+strings.TrimSpace(travelled))
	}
	return found
}

// pe is a CPU of an Arm machine as a PE.
func pe(m *machine.Machine, cpu int) *arm.PE { return m.Board.(*machine.ArmBoard).PE(cpu) }

// TestDeadlock: the error says who waits for what, and since when.
func TestDeadlock(t *testing.T) {
	m := boot(t, "virt", nil)
	line, err := m.Memory.Alloc(mem.LineSize)
	if err != nil {
		t.Fatal(err)
	}
	never := func(uint64) bool { return false }
	waits := map[int]func(c *cpu.CPU){
		0: func(c *cpu.CPU) { c.Wait(line, 8, 0, never, cpu.Forever) },
		2: func(c *cpu.CPU) { c.Delay(500 * sim.Nanosecond); c.WaitForInterrupt() },
		3: func(*cpu.CPU) { pe(m, 3).WaitForEvent() },
	}
	for id, wait := range waits {
		if err := m.Spawn(id, program(func() { wait(m.CPUs[id]) })); err != nil {
			t.Fatal(err)
		}
	}
	err = m.Drive(nil)
	want := fmt.Sprintf("deadlock at 500.000 ns: nothing is pending, and "+
		"CPU0 waits for a write to line 0x%x since 100.000 ns, CPU2 waits for an interrupt since 500.000 ns, "+
		"CPU3 waits for an event since 0.000 ns", line)
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var deadlock *machine.DeadlockError
	if !errors.As(err, &deadlock) || len(deadlock.Waiting) != 3 {
		t.Errorf("%T: %+v", err, err)
	}
	// The machine goes on when what is awaited comes.
	on(t, m, 1, func(*cpu.CPU) { pe(m, 1).SendEvent() })
	if err := m.Drive(nil); err == nil || strings.Contains(err.Error(), "CPU3") {
		t.Errorf("after SEV: %v", err)
	}
}

// TestDeadlockOfKernel: an address is named as the kernel knows it, and a masked interrupt is mentioned.
func TestDeadlockOfKernel(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Jitter = false })
	masked := m.CPUs[1]
	if err := m.Spawn(1, program(func() { masked.MaskIRQ(true); pe(m, 1).WaitForEvent() })); err != nil {
		t.Fatal(err)
	}
	c := m.CPUs[0]
	err := m.Run(0, program(func() {
		if err := m.Kernel.SMPCallFunctionSingle(c, 1, nil, 0, true); err != nil {
			t.Error(err)
		}
	}))
	want := "deadlock at 660.000 ns: nothing is pending, and " +
		"CPU0 waits for a write to line 0x40080088 (csd_stack.node.u_flags of cpu 0) since 397.000 ns, " +
		"CPU1 waits for an event, with an interrupt pending and masked, since 0.000 ns"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestClose: a machine that is closed leaves no goroutine, whatever its programs were doing.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		m := boot(t, "virt", func(s *machine.Spec) { s.CPUs = 40 })
		for i := 1; i < len(m.CPUs); i++ {
			c := m.CPUs[i]
			if err := m.Spawn(i, program(func() { c.MaskIRQ(true); pe(m, i).WaitForEvent() })); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Drive(nil); err == nil {
			t.Fatal("no deadlock")
		}
		if n := runtime.NumGoroutine(); n < 39 {
			t.Errorf("%d goroutines with 39 programs: the test does not see them", n)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		after := runtime.NumGoroutine()
		for range 60_000 { // the runtime may have some of its own on their way out
			if after <= before {
				break
			}
			time.Sleep(time.Millisecond)
			after = runtime.NumGoroutine()
		}
		if after > before {
			t.Errorf("%d goroutines before, %d after Close", before, after)
		}
	}
}

// TestNoAllocations: a call allocates nothing.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, preset := range machine.Presets() {
		m := boot(t, preset, nil)
		runLoop(t, m, 3) // the slabs and coroutines grow
		data, err := m.Memory.Alloc(7 * mem.LineSize)
		if err != nil {
			t.Fatal(err)
		}
		l := &ipiLoop{kernel: m.Kernel, cpu: m.CPUs[0], data: data, stores: 7, iters: 2, targets: len(m.CPUs)}
		if allocs := testing.AllocsPerRun(3, func() {
			if err := m.Run(0, l); err != nil || l.err != nil {
				t.Error(err, l.err)
			}
		}); allocs != 0 {
			t.Errorf("%s: %v allocations for %d calls", preset, allocs, 2*len(m.CPUs))
		}
	}
}
