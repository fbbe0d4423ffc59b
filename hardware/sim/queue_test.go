package sim

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"
)

// recorder writes down what fires.
type recorder struct{ log []string }

func (r *recorder) Fire(now Time, arg uint64) { r.log = append(r.log, fmt.Sprintf("%d:%d", now, arg)) }

// plainQueue is the second implementation: a sorted slice of (time, posting order), with the channel rule spelt out.
type plainQueue struct {
	events []plainEvent
	fired  [4]Time
}

type plainEvent struct {
	at      Time
	order   int
	channel int
	arg     uint64
}

func (q *plainQueue) post(channel int, at Time, arg uint64, order int) {
	at = max(at, q.fired[channel])
	for _, e := range q.events {
		if e.channel == channel {
			at = max(at, e.at)
		}
	}
	q.events = append(q.events, plainEvent{at, order, channel, arg})
}

func (q *plainQueue) cancel(order int) {
	for i, e := range q.events {
		if e.order == order {
			q.events = append(q.events[:i], q.events[i+1:]...)
			return
		}
	}
}

func (q *plainQueue) pop() plainEvent {
	sort.SliceStable(q.events, func(i, j int) bool {
		a, b := q.events[i], q.events[j]
		return a.at < b.at || a.at == b.at && a.order < b.order
	})
	e := q.events[0]
	q.events = q.events[1:]
	q.fired[e.channel] = e.at
	return e
}

func TestOrderEqualsPlainQueue(t *testing.T) {
	for seed := int64(0); seed < 300; seed++ {
		rng := rand.New(rand.NewSource(seed))
		e := NewEngine()
		var channels [4]Channel
		for i := range channels {
			e.Register(&channels[i], fmt.Sprint("c", i))
		}
		got, plain := &recorder{}, &plainQueue{}
		var want []string
		posted := map[int]Event{}
		for order := 0; order < 200; order++ {
			switch rng.Intn(4) {
			case 0, 1:
				c, at := rng.Intn(4), e.Now()+Time(rng.Intn(6))
				posted[order] = e.Post(&channels[c], at, got, uint64(order))
				plain.post(c, at, uint64(order), order)
			case 2:
				victim := rng.Intn(order + 1)
				if ev, ok := posted[victim]; ok {
					e.Cancel(ev)
					plain.cancel(victim)
				}
			case 3:
				if _, s := e.next(); s != none {
					e.fire(s)
					p := plain.pop()
					want = append(want, fmt.Sprintf("%d:%d", p.at, p.arg))
				}
			}
		}
		if err := e.Drive(nil); err != nil {
			t.Fatal(err)
		}
		for len(plain.events) > 0 {
			p := plain.pop()
			want = append(want, fmt.Sprintf("%d:%d", p.at, p.arg))
		}
		if fmt.Sprint(got.log) != fmt.Sprint(want) {
			t.Fatalf("seed %d:\n got %v\nwant %v", seed, got.log, want)
		}
	}
}

func TestCancelledEventLeavesNoTrace(t *testing.T) {
	e := NewEngine()
	var ch Channel
	e.Register(&ch, "deadline")
	r := &recorder{}
	far := e.Post(&ch, 5*Second, r, 1)
	if !e.Cancel(far) {
		t.Fatal("a pending event was not cancelled")
	}
	if e.Cancel(far) {
		t.Fatal("an event was cancelled twice")
	}
	e.Post(&ch, 3, r, 2)
	if err := e.Drive(nil); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(r.log) != "[3:2]" {
		t.Fatalf("got %v: the cancelled event still orders the channel", r.log)
	}
}

func TestPostIntoThePastIsABug(t *testing.T) {
	e := NewEngine()
	var ch Channel
	e.Register(&ch, "c")
	e.Post(&ch, 10, &recorder{}, 0)
	if err := e.Drive(nil); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r == nil {
			t.Fatal("posting at 9 when it is 10 did not panic")
		}
	}()
	e.Post(&ch, 9, &recorder{}, 0)
}

func TestTimeString(t *testing.T) {
	for in, want := range map[Time]string{
		0: "0 ps", 999: "999 ps", 1300: "1.3 ns", 35900: "35.9 ns", 2 * Microsecond: "2 us", -1500: "-1.5 ns",
		126663949 * Nanosecond: "126.663949 ms", 3*Second + 1: "3.000000000001 s",
	} {
		if got := in.String(); got != want {
			t.Errorf("Time(%d) = %q, want %q", int64(in), got, want)
		}
	}
	if got := (Freq(2_600_000_000)).Cycles(26); got != 10*Nanosecond {
		t.Errorf("26 cycles at 2.6 GHz = %s, want 10 ns", got)
	}
	if got := (100 * Megahertz).At(25 * Nanosecond); got != 2 {
		t.Errorf("cycles of 10 ns in 25 ns = %d, want 2", got)
	}
}

// TestReaches: the first time at which so many cycles have passed, for any frequency.
func TestReaches(t *testing.T) {
	for _, f := range []Freq{1, 3, 1000, 19_200_000, 62_500_000, 100 * Megahertz, Gigahertz, 2_600_000_000, 1 << 40} {
		for _, n := range []uint64{1, 2, 3, 999, 1_000_003, 1 << 33, 1<<40 + 1} {
			at := f.Reaches(n)
			if at == Never {
				if f.At(Never) >= n {
					t.Errorf("%d Hz: %d cycles never pass", f, n)
				}
				continue
			}
			if f.At(at) < n || f.At(at-1) >= n {
				t.Errorf("%d Hz: %s for %d cycles, when %d have passed, and %d before", f, at, n, f.At(at), f.At(at-1))
			}
		}
		if got := f.Reaches(0); got != 0 {
			t.Errorf("%d Hz: %s for no cycle", f, got)
		}
	}
	if got := (100 * Megahertz).Reaches(1<<64 - 1); got != Never {
		t.Errorf("2^64 cycles take %s", got)
	}
}

// TestPending: what was cancelled is not pending, though it was far in the future.
func TestPending(t *testing.T) {
	e := NewEngine()
	var ch Channel
	e.Register(&ch, "timer")
	if e.Pending() {
		t.Error("a new engine")
	}
	for _, at := range []Time{5 * Second, 3 * Second} {
		ev := e.Post(&ch, at, nil, 0)
		if !e.Pending() {
			t.Errorf("an event at %s is not pending", at)
		}
		e.Cancel(ev)
		if e.Pending() {
			t.Errorf("a cancelled event at %s is pending", at)
		}
	}
}

func TestJitterKeepsMeanAndRange(t *testing.T) {
	for _, s := range []Spread{
		{30000, 34400, 38000}, {32500, 35900, 38200}, {71700, 78900, 87700}, Fixed(7), {0, 1, 1000}, {0, 999, 1000},
	} {
		j := NewJitter(s)
		sum, low, high := Time(0), Never, Time(0)
		for n := range uint64(quantiles) {
			v := j.mean
			if !j.fixed {
				v = j.table[n]
			}
			sum, low, high = sum+v, min(low, v), max(high, v)
		}
		if sum != s.Mean*quantiles || low < s.Low || high > s.High {
			t.Errorf("%v: mean %d/%d, range %d to %d", s, sum, quantiles, low, high)
		}
		if a, b := j.At(1, 2, 3), j.At(1, 2, 3); a != b {
			t.Errorf("%v: two draws of one transfer differ", s)
		}
	}
	j, k := NewJitter(Spread{0, 500, 1000}), 0
	for n := range uint64(1000) {
		if j.At(1, 0x40, n) == j.At(2, 0x40, n) {
			k++
		}
	}
	if k > 30 {
		t.Errorf("%d of 1000 draws are the same under two seeds", k)
	}
}
