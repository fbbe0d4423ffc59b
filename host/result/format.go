package result

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// timeUnits are the units of time that are scaled when printed, and their length in picoseconds.
var timeUnits = []struct {
	name string
	ps   uint64
}{
	{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1},
}

// FormatPs prints a time in picoseconds exactly, in the largest unit of which it has at least one:
// 1320123 is "1.320123 us".
func FormatPs(ps int64) string {
	sign, abs := "", uint64(ps)
	if ps < 0 {
		sign, abs = "-", -abs
	}
	for _, u := range timeUnits {
		if abs < u.ps {
			continue
		}
		whole, frac := abs/u.ps, abs%u.ps
		if frac == 0 {
			return fmt.Sprintf("%s%d %s", sign, whole, u.name)
		}
		digits := len(strconv.FormatUint(u.ps, 10)) - 1
		return fmt.Sprintf("%s%d.%s %s", sign, whole,
			strings.TrimRight(fmt.Sprintf("%0*d", digits, frac), "0"), u.name)
	}
	return "0 ps"
}

// thousandths is the unit of what is counted in cycles by rows that are fitted and sampled, which are integers.
const thousandths = "mcycles"

// formatStat prints a statistic with six significant digits and its unit; times move to a unit that gives one to
// three digits before the point, and there keep their trailing zeros, so that columns line up. Thousandths of a cycle
// are printed as cycles.
func formatStat(x float64, unit string) string {
	if unit == thousandths {
		if x == 0 {
			return "0 cycles"
		}
		return sixDigits(x/1000) + " cycles"
	}
	for _, from := range timeUnits {
		if from.name != unit || x == 0 {
			continue
		}
		ps := x * float64(from.ps)
		for _, to := range timeUnits {
			if scaled := ps / float64(to.ps); math.Abs(scaled) >= 1 || to.ps == 1 {
				return sixDigits(scaled) + " " + to.name
			}
		}
	}
	return formatCell(round6(x)) + " " + unit
}

// sixDigits prints six significant digits without an exponent. x is not 0.
func sixDigits(x float64) string {
	x = round6(x)
	decimals := 5 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(decimals, 0), 64)
}

// formatPercent prints a signed percentage with two decimals, or "-" for none.
func formatPercent(p *float64) string {
	if p == nil {
		return "-"
	}
	s := fmt.Sprintf("%+.2f %%", *p)
	if s == "+0.00 %" || s == "-0.00 %" {
		return "0.00 %"
	}
	return s
}

// formatCell prints a table's cell, a fraction with the digits it has and without an exponent.
func formatCell(cell any) string {
	switch v := cell.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// formatSpread prints a value and an interval around it in one unit, to three significant digits of the largest:
// "21.8 ns (12.9 to 32.6)".
func formatSpread(x, low, high float64, unit string) string {
	largest := max(math.Abs(x), math.Abs(low), math.Abs(high))
	scale := 1.0
	if unit == thousandths {
		scale, unit = 1e-3, "cycles"
	}
	for _, from := range timeUnits {
		if from.name != unit {
			continue
		}
		for _, to := range timeUnits {
			if largest*float64(from.ps) >= float64(to.ps) {
				scale, unit = float64(from.ps)/float64(to.ps), to.name
				break
			}
		}
		break
	}
	decimals := 2
	for limit := 10.0; decimals > 0 && largest*scale >= limit; limit *= 10 {
		decimals--
	}
	digits := func(v float64) string { return strconv.FormatFloat(v*scale, 'f', decimals, 64) }
	text := digits(x) + " " + unit
	if a, b := digits(low), digits(high); a != b {
		text += " (" + a + " to " + b + ")"
	}
	return text
}
