package result

import "testing"

func TestFormatSpread(t *testing.T) {
	for _, tc := range []struct {
		x, low, high float64
		unit, want   string
	}{
		{21_792, 12_860, 32_634, "ps", "21.8 ns (12.9 to 32.6)"},
		{0, 0, 20_723, "ps", "0.0 ns (0.0 to 20.7)"},
		{0, 0, 0, "ps", "0.00 ps"},
		{174_699, 103_306, 204_593, "ps", "175 ns (103 to 205)"},
		{1.5, 1.5, 1.5, "us", "1.50 us"},
		{-3, -4.25, 2, "ns", "-3.00 ns (-4.25 to 2.00)"},
		{0.25, 0.25, 0.5, "ns", "250 ps (250 to 500)"},
		{12, 10, 1500, "MB/s", "12 MB/s (10 to 1500)"},
		{528_185, 224_693, 681_554, "mcycles", "528 cycles (225 to 682)"},
		{0, 0, 0, "mcycles", "0.00 cycles"},
		{32.966, 32.9604, 32.9704, "ns", "33.0 ns"},
	} {
		if got := formatSpread(tc.x, tc.low, tc.high, tc.unit); got != tc.want {
			t.Errorf("%v (%v to %v) %s: %q, want %q", tc.x, tc.low, tc.high, tc.unit, got, tc.want)
		}
	}
}
