package sim

import "testing"

// ticker reschedules itself at a period of its own.
type ticker struct {
	engine *Engine
	ch     Channel
	period Time
}

func (t *ticker) Fire(now Time, arg uint64) { t.engine.Post(&t.ch, now+t.period, t, arg) }

func benchmarkEvents(b *testing.B, period func(i int) Time) {
	e := NewEngine()
	tickers := make([]ticker, 96)
	for i := range tickers {
		tickers[i] = ticker{engine: e, period: period(i)}
		e.Register(&tickers[i].ch, "ticker")
		e.Post(&tickers[i].ch, 0, &tickers[i], 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, s := e.next()
		e.fire(s)
	}
}

// BenchmarkEvent is one event with 96 pending, at 96 different times.
func BenchmarkEvent(b *testing.B) {
	benchmarkEvents(b, func(i int) Time { return Time(1009 + 37*i) })
}

// BenchmarkEventSameTick is one event with 96 pending, all at one time.
func BenchmarkEventSameTick(b *testing.B) {
	benchmarkEvents(b, func(int) Time { return 1000 })
}

// BenchmarkSwitch is two programs taking turns: one coroutine switch a step.
func BenchmarkSwitch(b *testing.B) {
	e := NewEngine()
	p, q := e.NewProc("CPU0", nil), e.NewProc("CPU1", nil)
	turn := programFunc(func(p *Proc) {
		for range b.N {
			p.Advance(10)
			p.Sync()
		}
	})
	p.Start(turn, 0)
	q.Start(turn, 5)
	b.ReportAllocs()
	b.ResetTimer()
	if err := e.Drive(p); err != nil {
		b.Fatal(err)
	}
	e.Close()
}

func TestSchedulingAllocatesNothing(t *testing.T) {
	e := NewEngine()
	tickers := make([]ticker, 96)
	for i := range tickers {
		tickers[i] = ticker{engine: e, period: Time(1009 + 37*i)}
		e.Register(&tickers[i].ch, "ticker")
		e.Post(&tickers[i].ch, 0, &tickers[i], 0)
	}
	step := func() {
		for range 1000 {
			_, s := e.next()
			e.fire(s)
		}
	}
	step()
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Fatalf("%v allocations in 1000 events", n)
	}
}
