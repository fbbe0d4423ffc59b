package cli

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/bindings"
)

// defaultTraceWindow shows a call to the own CPU and two to others in the scenarios that call each CPU in turn, which
// is a page of text.
const defaultTraceWindow = "3"

// parseTraceWindow reads what --trace-window gives: a number of calls, or a span of simulated time, from..to.
func parseTraceWindow(text string) (*bindings.Trace, error) {
	from, to, isSpan := strings.Cut(text, "..")
	if !isSpan {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, usageErrorf("trace window %q is neither a number of calls nor a span such as 10us..20us", text)
		}
		return &bindings.Trace{Calls: n}, nil
	}
	start, ok := parseTime(from)
	if !ok {
		return nil, usageErrorf("trace window %q: %q is not a time such as 10us or 1.5ms", text, from)
	}
	end, ok := parseTime(to)
	if !ok {
		return nil, usageErrorf("trace window %q: %q is not a time such as 10us or 1.5ms", text, to)
	}
	if end <= start {
		return nil, usageErrorf("trace window %q is empty", text)
	}
	return &bindings.Trace{From: start, To: end}, nil
}

// picoseconds per unit, the longer names first: "ms" ends in "s" too.
var timeUnits = []struct {
	name string
	ps   int64
}{
	{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12},
}

// parseTime reads a time with its unit, exactly, in picoseconds. A plain 0 needs no unit.
func parseTime(text string) (int64, bool) {
	if text == "0" {
		return 0, true
	}
	for _, u := range timeUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		if strings.Trim(number, "0123456789.") != "" {
			return 0, false
		}
		r, ok := new(big.Rat).SetString(number)
		if !ok {
			return 0, false
		}
		r.Mul(r, big.NewRat(u.ps, 1))
		if !r.IsInt() || r.Cmp(big.NewRat(math.MaxInt64, 1)) > 0 {
			return 0, false
		}
		return r.Num().Int64(), true
	}
	return 0, false
}
