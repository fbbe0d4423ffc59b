package machine

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/sim"
)

// Origin says how far a number can be trusted.
type Origin uint8

// The origins.
const (
	Assumed Origin = iota // plausible; nothing was published
	Sourced               // published, as cited
	Fitted                // chosen so that one published result comes out
	Given                 // by the script
)

// String is the origin's name.
func (o Origin) String() string { return [...]string{"assumed", "sourced", "fitted", "given"}[o] }

// A Latency is a time with its origin.
type Latency struct {
	sim.Spread
	Origin Origin
	Source string
	Row    PublishedRow // of Fitted: the one row that it was fitted on
}

// A PublishedRow names a row of the published figures: a document, and the case as the document calls it.
type PublishedRow struct{ Document, Case string }

// LatencyName numbers the latencies of a Spec.
type LatencyName uint8

// The latencies, in the order in which they are described.
const (
	L1Hit LatencyName = iota
	HandOffCluster
	HandOffDie
	HandOffCrossDie
	HandOffCrossSocket
	DRAM
	StoreIssue
	OuterAck
	DMB
	DSB
	ISB
	SysRegRead
	SysRegWrite
	DeviceRead
	DeviceWrite
	SGITransport
	WFIExit
	ExceptionEntry
	ExceptionReturn
	RWP

	latencies = 20
)

var latencyInfo = [latencies]struct{ name, doc string }{
	{"l1_hit", "a load that hits the own L1"},
	{"handoff_cluster", "a line from another core of the cluster"},
	{"handoff_die", "a line from another cluster of the die"},
	{"handoff_cross_die", "a line from another die of the socket"},
	{"handoff_cross_socket", "a line from another socket"},
	{"dram", "a line that no cache holds"},
	{"store_issue", "a store, until the next instruction"},
	{"outer_ack", "acknowledgement of one store from beyond the inner-shareable domain"},
	{"dmb", "a DMB"},
	{"dsb", "a DSB with nothing outstanding"},
	{"isb", "an ISB"},
	{"sysreg_read", "MRS"},
	{"sysreg_write", "MSR"},
	{"device_read", "round trip of a load from a device"},
	{"device_write", "one way of a store to a device"},
	{"sgi_transport", sgiTransportDoc},
	{"wfi_exit", "from the interrupt input to the end of WFI"},
	{"exception_entry", "taking an interrupt"},
	{"exception_return", "ERET"},
	{"rwp", rwpDoc},
}

// String is the latency's name in scripts.
func (n LatencyName) String() string { return latencyInfo[n].name }

// Doc says what the latency is.
func (n LatencyName) Doc() string { return latencyInfo[n].doc }

// LatencyNames are the names of all latencies in order.
func LatencyNames() []string {
	names := make([]string, latencies)
	for i := range names {
		names[i] = LatencyName(i).String()
	}
	return names
}

// ParseLatency finds a latency by its name.
func ParseLatency(name string) (LatencyName, bool) {
	for i := range latencyInfo {
		if latencyInfo[i].name == name {
			return LatencyName(i), true
		}
	}
	return 0, false
}

// assumed, sourced and fitted are a preset's numbers, in picoseconds.
func assumed(t sim.Time, why string) Latency {
	return Latency{Spread: sim.Fixed(t), Origin: Assumed, Source: why}
}

func sourced(s sim.Spread, source string) Latency {
	return Latency{Spread: s, Origin: Sourced, Source: source}
}

func fitted(t sim.Time, row PublishedRow, source string) Latency {
	return Latency{sim.Fixed(t), Fitted, source, row}
}

// Describe lists every latency with its unit, origin and source.
func (s *Spec) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d CPUs: %d x %d x %d x %d (sockets, dies, clusters, cores), %d MHz\n", s.Name, s.CPUs,
		s.Sockets, s.Dies, s.Clusters, s.Cores, s.Clock/sim.Megahertz)
	fmt.Fprintf(&b, "%-22s %22s  %-8s %s\n", "latency", "ns (low to high)", "origin", "what, source")
	for i := range s.Latency {
		l, n := &s.Latency[i], LatencyName(i)
		value := l.Mean.Nanoseconds()
		if l.Low != l.High {
			value = fmt.Sprintf("%s (%s to %s)", tenths(l.Mean), tenths(l.Low), tenths(l.High))
		}
		fmt.Fprintf(&b, "%-22s %22s  %-8s %s; %s\n", n, value, l.Origin, n.Doc(), l.Source)
	}
	if !s.Jitter {
		b.WriteString("jitter is off: every latency is its mean\n")
	}
	return b.String()
}

// tenths prints nanoseconds with one decimal; measured spreads have no more.
func tenths(t sim.Time) string { return fmt.Sprintf("%d.%d", t/sim.Nanosecond, t%sim.Nanosecond/100) }
