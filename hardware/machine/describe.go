package machine

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// OriginOf is how far the cost of a piece of straight-line code can be trusted.
func OriginOf(c linux.Cost) Origin {
	if c.Set {
		return Given
	}
	return Assumed
}

// Describe lists every number that a simulated time depends on, with its unit, range and origin: the latencies, of
// which each says its source and a fitted one what it absorbs, and the cycles of straight-line code.
func (s *Spec) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d CPUs: %d x %d x %d x %d (sockets, dies, clusters, cores), %d MHz\n", s.Name, s.CPUs,
		s.Sockets, s.Dies, s.Clusters, s.Cores, s.Clock/sim.Megahertz)
	fmt.Fprintf(&b, "%-22s %26s  %-8s %s\n", "latency", "ns (low to high)", "origin", "what; source")
	for i := range s.Latency {
		if n := LatencyName(i); !s.Lacks(n) {
			s.describeLatency(&b, n)
		}
	}
	fmt.Fprintf(&b, "%-22s %26s  %-8s %s\n", "kernel code", "cycles, lines (low to high)", "origin", "what")
	for _, c := range s.Costs.List() {
		value := fmt.Sprint(c.Typical)
		if c.Low != c.High {
			value += fmt.Sprintf(" (%d to %d)", c.Low, c.High)
		}
		if c.Unit == linux.Lines {
			value += " lines"
		}
		fmt.Fprintf(&b, "%-22s %26s  %-8s %s\n", c.Name, value, OriginOf(c), c.Doc)
	}
	fmt.Fprintf(&b, "outer_model %s, assumed: %s\n", s.OuterModel, s.OuterModel.Doc())
	if s.OuterModel == cpu.OuterPipelined {
		fmt.Fprintf(&b, "outer_window %d acknowledgements (%d to %d), assumed; nothing published\n", s.OuterWindow,
			OuterWindowLow, OuterWindowHigh)
	}
	if c := &s.SystemCache; c.Size != 0 {
		fmt.Fprintf(&b, "system cache: %d KiB on each node, %d ways, lines of %d bytes\n", c.Size>>10, c.Ways, c.LineSize)
	}
	for _, a := range s.Assumptions {
		b.WriteString("assumed: " + a + "\n")
	}
	if !s.Jitter {
		b.WriteString("jitter is off: every latency is its typical value\n")
	}
	return b.String()
}

func (s *Spec) describeLatency(b *strings.Builder, n LatencyName) {
	l := &s.Latency[n]
	value := nanoseconds(l.Mean)
	if l.Low != l.High {
		value += fmt.Sprintf(" (%s to %s)", nanoseconds(l.Low), nanoseconds(l.High))
	}
	fmt.Fprintf(b, "%-22s %26s  %-8s %s; %s", n, value, l.Origin, n.Doc(), l.Source)
	if s.Unused(n) {
		fmt.Fprintf(b, "; not used by outer_model %s", s.OuterModel)
	}
	if l.Varies {
		b.WriteString("; each varies over the range")
	}
	if l.Absorbs != "" {
		b.WriteString("; absorbs " + l.Absorbs)
	}
	b.WriteString("\n")
}

// nanoseconds prints a time without zeros at its end but for one decimal.
func nanoseconds(t sim.Time) string {
	text := strings.TrimRight(t.Nanoseconds(), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}
