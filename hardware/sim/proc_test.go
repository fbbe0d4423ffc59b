package sim

import (
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"
	"time"
)

// script is a program made of random work, shared accesses and waits; everything it does is written to one log.
type script struct {
	world *world
	id    int
	rng   *rand.Rand
	proc  *Proc
	tick  Channel
	depth int
}

type world struct {
	engine  *Engine
	log     strings.Builder
	scripts []*script
	value   int        // the shared location
	pauser  *rand.Rand // says before which accesses the drive is to stop; nil: none
}

func (s *script) Run(p *Proc) {
	for range 60 {
		switch s.rng.Intn(5) {
		case 0, 1:
			p.Advance(Time(s.rng.Intn(8)))
		case 2:
			s.access("slow step")
			p.Stall(Time(s.rng.Intn(5)))
		case 3:
			s.access("step")
		case 4: // interrupt somebody, later
			target := s.world.scripts[s.rng.Intn(len(s.world.scripts))]
			p.Sync()
			p.engine.Post(&target.tick, p.Now()+Time(s.rng.Intn(20)), target, 0)
		}
	}
}

func (s *script) access(what string) {
	if r := s.world.pauser; r != nil && r.Intn(3) == 0 {
		s.proc.Pause()
	}
	s.proc.Sync()
	s.world.value = s.world.value*31 + s.id
	fmt.Fprintf(&s.world.log, "%d %s of %d sees %x, the engine is at %d\n", s.proc.Now(), what, s.id,
		uint32(s.world.value), s.world.engine.Now())
}

// Fire is the interrupt wire: taken now if the program can be cut short, else dropped.
func (s *script) Fire(now Time, _ uint64) {
	taken := s.depth == 0 && s.proc.Interrupt()
	fmt.Fprintf(&s.world.log, "%d wire of %d %v\n", now, s.id, taken)
}

func (s *script) TakeInterrupt() {
	s.depth++
	s.access("handler")
	s.proc.Advance(3)
	s.access("handler end")
	s.depth--
}

func runWorld(t *testing.T, seed int64, eager bool) string {
	w := &world{engine: NewEngine()}
	w.engine.SetEager(eager)
	return w.run(t, seed)
}

func (w *world) run(t *testing.T, seed int64) string {
	for i := range 5 {
		s := &script{world: w, id: i, rng: rand.New(rand.NewSource(seed*10 + int64(i)))}
		s.proc = w.engine.NewProc(fmt.Sprint("P", i), s)
		w.engine.Register(&s.tick, fmt.Sprint("wire", i))
		w.scripts = append(w.scripts, s)
	}
	for _, s := range w.scripts {
		s.proc.Start(s, 0)
	}
	defer w.engine.Close()
	for err := errors.New("not begun"); err != nil; {
		if err = w.engine.Drive(nil); err != nil && !errors.Is(err, ErrStopped) {
			t.Fatal(err)
		}
	}
	for _, s := range w.scripts {
		fmt.Fprintf(&w.log, "%d ends at %d\n", s.id, s.proc.Now())
	}
	return w.log.String()
}

// A wire that arrives while its target is between accesses of its own, in a stall, or at the very tick of its next
// access is taken at the same time by the engine that runs ahead and by the one that makes every Advance an event.
func TestRunAheadChangesNothing(t *testing.T) {
	for seed := int64(0); seed < 400; seed++ {
		ahead, eager := runWorld(t, seed, false), runWorld(t, seed, true)
		if ahead != eager {
			a, b := strings.Split(ahead, "\n"), strings.Split(eager, "\n")
			for i := range a {
				if i >= len(b) || a[i] != b[i] {
					t.Fatalf("seed %d, line %d:\nahead %s\neager %s", seed, i, strings.Join(a[max(0, i-5):i+3], "\n      "),
						strings.Join(b[max(0, i-5):min(i+3, len(b))], "\n      "))
				}
			}
		}
	}
}

// A run that is stopped before any number of steps and goes on is the same as one that is not.
func TestPauseChangesNothing(t *testing.T) {
	for seed := int64(0); seed < 200; seed++ {
		w := &world{engine: NewEngine(), pauser: rand.New(rand.NewSource(seed))}
		stops := 0
		w.engine.SetStop(func() bool { stops++; return stops%2 == 0 })
		got, want := w.run(t, seed), runWorld(t, seed, false)
		if got != want {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
		if stops < 10 {
			t.Fatalf("seed %d: %d polls", seed, stops)
		}
	}
}

// A program that makes steps without any event would not be stopped by the engine's own poll.
func TestPauseWithoutEvents(t *testing.T) {
	e := NewEngine()
	p := e.NewProc("CPU0", nil)
	stop := false
	e.SetStop(func() bool { return stop })
	p.Start(programFunc(func(p *Proc) {
		for i := range 100 {
			p.Advance(10)
			p.Sync()
			stop = i == 50
			p.Pause()
		}
	}), 0)
	if err := e.Drive(p); !errors.Is(err, ErrStopped) || e.Now() != 510 || p.Now() != 510 {
		t.Fatalf("%v at %s", err, e.Now())
	}
	stop = false
	if err := e.Drive(p); err != nil || p.Now() != 1000 {
		t.Fatalf("%v at %s", err, p.Now())
	}
	e.Close()
}

type programFunc func(p *Proc)

func (f programFunc) Run(p *Proc) { f(p) }

func TestInterruptCutsWorkAndChargesTheRest(t *testing.T) {
	e := NewEngine()
	w := &world{engine: e}
	s := &script{world: w}
	s.proc = e.NewProc("CPU0", s)
	e.Register(&s.tick, "wire")
	e.Post(&s.tick, 40, s, 0)
	s.proc.Start(programFunc(func(p *Proc) {
		p.Advance(100)
		s.access("step")
	}), 0)
	if err := e.Drive(s.proc); err != nil {
		t.Fatal(err)
	}
	got := w.log.String()
	for _, want := range []string{"40 wire of 0 true", "40 handler of 0", "43 handler end of 0", "103 step of 0"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Park says that a wake ended it, with the program's clock at the wake.
func TestParkIsWoken(t *testing.T) {
	e := NewEngine()
	defer e.Close()
	p, q := e.NewProc("CPU0", nil), e.NewProc("CPU1", nil)
	woken := false
	p.Start(programFunc(func(p *Proc) { woken = p.Park(WaitReason{What: "event"}) && p.Now() == 60 }), 0)
	q.Start(programFunc(func(q *Proc) { q.Advance(50); q.Sync(); p.Wake(60) }), 0)
	if err := e.Drive(nil); err != nil || !woken {
		t.Errorf("woken as expected: %v, %v", woken, err)
	}
}

func TestDeadlockNamesTheWaiter(t *testing.T) {
	e := NewEngine()
	p := e.NewProc("CPU7", nil)
	p.Start(programFunc(func(p *Proc) { p.Park(WaitReason{"line", 0x1040}) }), 0)
	if err := e.Drive(p); !errors.Is(err, ErrDeadlock) {
		t.Fatalf("got %v", err)
	}
	stuck := e.Deadlock()
	if len(stuck) != 1 || stuck[0].Name() != "CPU7" {
		t.Fatalf("got %v", stuck)
	}
	if why, _ := stuck[0].Waiting(); why.String() != "line 0x1040" {
		t.Fatalf("got %q", why)
	}
	p.Wake(90)
	if err := e.Drive(p); err != nil || p.Now() != 90 {
		t.Fatalf("after the wake: %v at %s", err, p.Now())
	}
	e.Close()
}

func TestStopAndContinue(t *testing.T) {
	e := NewEngine()
	p, q := e.NewProc("CPU0", nil), e.NewProc("CPU1", nil)
	steps := 0
	loop := programFunc(func(p *Proc) {
		for range 1000 {
			p.Advance(10)
			p.Sync()
			steps++
		}
	})
	p.Start(loop, 0)
	q.Start(loop, 0)
	stops := 0
	e.SetStop(func() bool { stops++; return stops == 3 })
	if err := e.Drive(p); !errors.Is(err, ErrStopped) {
		t.Fatalf("got %v", err)
	}
	if steps == 0 || steps >= 2000 {
		t.Fatalf("stopped after %d steps", steps)
	}
	if err := e.Drive(nil); err != nil || steps != 2000 {
		t.Fatalf("continued to %d steps, %v", steps, err)
	}
	e.Close()
}

// A program that fails takes no step more, although nothing else is pending; driven again, it goes on from there.
func TestFailedProgramStaysAtItsNextStep(t *testing.T) {
	e := NewEngine()
	defer e.Close()
	p := e.NewProc("CPU0", nil)
	odd := errors.New("odd")
	steps := 0
	p.Start(programFunc(func(p *Proc) {
		for range 3 {
			p.Advance(10)
			p.Sync()
			steps++
			e.Fail(odd)
		}
	}), 0)
	for i := 1; i <= 3; i++ {
		if err := e.Drive(p); err != odd || steps != i || e.Now() != Time(10*i) {
			t.Fatalf("drive %d: %v after %d steps at %s", i, err, steps, e.Now())
		}
	}
	if p.Busy() {
		t.Error("the program has returned, and nothing was due before: it should have ended")
	}
}

// A program that fails where it had run ahead of others ends after them.
func TestFailedProgramEndsAfterWhatIsDueBefore(t *testing.T) {
	e := NewEngine()
	defer e.Close()
	p, q := e.NewProc("CPU0", nil), e.NewProc("CPU1", nil)
	p.Start(programFunc(func(p *Proc) { p.Advance(100); e.Fail(errors.New("odd")) }), 0)
	q.Start(programFunc(func(p *Proc) { p.Advance(50); p.Sync() }), 0)
	if err := e.Drive(p); err == nil || !p.Busy() || !q.Busy() {
		t.Fatalf("%v: busy %v, %v", err, p.Busy(), q.Busy())
	}
	if err := e.Drive(p); err != nil || q.Busy() || e.Now() != 100 {
		t.Fatalf("%v at %s", err, e.Now())
	}
}

// Time ends with an error for a program, for a message and for a wait that would go on behind it, never by wrapping.
func TestTimeEnds(t *testing.T) {
	const late = EndOfTime - 5
	for name, c := range map[string]struct {
		where   string
		program func(p *Proc, ch *Channel)
	}{
		"work":    {"CPU0", func(p *Proc, _ *Channel) { p.Advance(5); p.Sync() }},
		"the end": {"CPU0", func(p *Proc, _ *Channel) { p.Advance(1 << 40) }},
		"message": {"wire", func(p *Proc, ch *Channel) {
			p.Engine().Post(ch, EndOfTime, &recorder{}, 0)
			p.Park(WaitReason{What: "message"})
		}},
		"wait": {"CPU0", func(p *Proc, ch *Channel) {
			p.Engine().Post(ch, late+1, fireFunc(func(Time) { p.Wake(Never) }), 0)
			p.Park(WaitReason{What: "message"})
		}},
	} {
		e := NewEngine()
		var ch Channel
		e.Register(&ch, "wire")
		p := e.NewProc("CPU0", nil)
		p.Start(programFunc(func(p *Proc) {
			p.Advance(late)
			p.Sync()
			c.program(p, &ch)
		}), 0)
		for range 2 { // there is no way on
			var ended *EndOfTimeError
			if err := e.Drive(p); !errors.As(err, &ended) || ended.Where != c.where || e.Now() >= EndOfTime {
				t.Errorf("%s: %v at %s", name, err, e.Now())
			}
		}
		e.Close()
	}
}

// An event behind the end of time that is cancelled does no harm.
func TestCancelledTimeoutBehindTheEnd(t *testing.T) {
	e := NewEngine()
	defer e.Close()
	var ch Channel
	e.Register(&ch, "timer")
	p := e.NewProc("CPU0", nil)
	p.Start(programFunc(func(p *Proc) {
		timeout := e.Post(&ch, EndOfTime+1, &recorder{}, 0)
		p.Advance(10)
		p.Sync()
		e.Cancel(timeout)
	}), 0)
	if err := e.Drive(nil); err != nil || e.Now() != 10 {
		t.Fatalf("%v at %s", err, e.Now())
	}
}

type fireFunc func(now Time)

func (f fireFunc) Fire(now Time, _ uint64) { f(now) }

func TestPanicOfAProgramReachesTheDriver(t *testing.T) {
	e := NewEngine()
	p, q := e.NewProc("CPU0", nil), e.NewProc("CPU1", nil)
	p.Start(programFunc(func(p *Proc) {
		for range 10 {
			p.Advance(10)
			p.Sync()
		}
	}), 0)
	q.Start(programFunc(func(p *Proc) { p.Advance(55); p.Sync(); panic("BUG: odd") }), 0)
	defer func() {
		bug, ok := recover().(*Panic)
		if !ok || bug.Value != "BUG: odd" || bug.Where != "CPU1" || bug.At != 55 {
			t.Fatalf("got %v", bug)
		}
		e.Close()
	}()
	_ = e.Drive(p)
	t.Fatal("Drive returned")
}

func TestClosedEngineLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		e := NewEngine()
		unwound := 0
		for i := range 96 {
			p := e.NewProc(fmt.Sprint("CPU", i), nil)
			p.Start(programFunc(func(p *Proc) {
				defer func() { unwound++ }()
				p.Advance(Time(i))
				p.Park(WaitReason{What: "event"})
			}), 0)
		}
		if err := e.Drive(nil); err != nil {
			t.Fatal(err)
		}
		e.Close()
		if unwound != 96 {
			t.Fatalf("%d of 96 programs were unwound", unwound)
		}
	}
	for range 60_000 { // goroutines that have ended may still be counted for a moment
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestTwoEnginesInterleavedShareNothing(t *testing.T) {
	alone := runWorld(t, 7, false)
	if mixed := runWorld(t, 8, false) + runWorld(t, 7, false); !strings.HasSuffix(mixed, alone) {
		t.Fatal("a run depends on the engine before it")
	}
}
