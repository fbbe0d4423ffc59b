package sim

import (
	"fmt"
	"math"
	mathbits "math/bits"
)

// Time is a point or a span of simulated time in picoseconds.
type Time int64

// Units of [Time].
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond

	// Never is later than every event.
	Never Time = math.MaxInt64

	// EndOfTime is where simulated time ends, after two and a half hours: a drive that comes to it fails with an
	// [EndOfTimeError]. Every time before it is an integer that a float64, and so a Lua number, holds exactly, and sums
	// of times do not overflow.
	EndOfTime Time = 1 << 53
)

// An EndOfTimeError says that simulated time has come to [EndOfTime]. The engine can be inspected, not driven on.
type EndOfTimeError struct {
	Where string // the program or channel that was to go on
}

func (e *EndOfTimeError) Error() string {
	return fmt.Sprintf("simulated time ends at %s ns, after two and a half hours; %s goes beyond",
		EndOfTime.Nanoseconds(), e.Where)
}

// String prints t in the largest unit that keeps at least one digit before the point, without loss: "1.3 ns", "2 us".
func (t Time) String() string {
	units := [...]struct {
		size Time
		name string
	}{{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}, {Nanosecond, "ns"}}
	magnitude := t
	if t < 0 {
		magnitude = -t
	}
	for _, u := range units {
		if magnitude >= u.size {
			return fmt.Sprintf("%s %s", decimal(t, u.size), u.name)
		}
	}
	return fmt.Sprintf("%d ps", int64(t))
}

// Nanoseconds prints t in nanoseconds with all three decimals, the form of traces and tables.
func (t Time) Nanoseconds() string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return fmt.Sprintf("%s%d.%03d", sign, int64(t/Nanosecond), int64(t%Nanosecond))
}

// decimal writes t/unit exactly, without trailing zeros.
func decimal(t, unit Time) string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	whole, rest := t/unit, t%unit
	if rest == 0 {
		return fmt.Sprintf("%s%d", sign, int64(whole))
	}
	width := 0
	for u := unit; u > 1; u /= 10 {
		width++
	}
	digits := fmt.Sprintf("%0*d", width, int64(rest))
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return fmt.Sprintf("%s%d.%s", sign, int64(whole), digits)
}

// Freq is a clock frequency in hertz. Cycles become time, and time becomes cycles, only here.
type Freq uint64

// Units of [Freq].
const (
	Hertz     Freq = 1
	Megahertz      = 1_000_000 * Hertz
	Gigahertz      = 1000 * Megahertz
)

// Cycles is the time that n cycles take, rounded down to a picosecond.
func (f Freq) Cycles(n int64) Time {
	if n >= 0 && n < int64(Never/Second) {
		return Time(uint64(n) * uint64(Second) / uint64(f))
	}
	hi, lo := mathbits.Mul64(uint64(n), uint64(Second))
	q, _ := mathbits.Div64(hi, lo, uint64(f))
	return Time(q)
}

// Reaches is the first time at which n whole cycles have passed; Never if [Time] does not hold it.
func (f Freq) Reaches(n uint64) Time {
	hi, lo := mathbits.Mul64(n, uint64(Second))
	if hi >= uint64(f) {
		return Never
	}
	q, rest := mathbits.Div64(hi, lo, uint64(f))
	if rest > 0 {
		q++
	}
	return Time(min(q, uint64(Never)))
}

// At is the number of whole cycles that have passed at t.
func (f Freq) At(t Time) uint64 {
	hi, lo := mathbits.Mul64(uint64(t), uint64(f))
	q, _ := mathbits.Div64(hi, lo, uint64(Second))
	return q
}
