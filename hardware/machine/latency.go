package machine

import (
	"fmt"

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

// A Latency is a time with its range, its origin and its source. Mean is the typical value.
//
// Invariant: Absorbs is set if and only if it is fitted.
type Latency struct {
	sim.Spread
	// Varies says that the range is the one that single transfers were seen in, over which jitter spreads them. Else it
	// is what is not known: each transfer takes the typical time, and a result has to say how far it depends on that.
	Varies  bool
	Origin  Origin
	Source  string
	Row     PublishedRow // of a fitted one: the one row that it was fitted on
	Absorbs string       // of a fitted one: what it stands for beside itself
}

// Validate refuses a range that does not contain the typical value, and a fitted one that does not say what it absorbs.
func (l *Latency) Validate() error {
	if (l.Absorbs != "") != (l.Origin == Fitted) {
		return fmt.Errorf("%s, absorbs %q: expected what it absorbs if it is fitted, and only then", l.Origin, l.Absorbs)
	}
	return l.Spread.Validate()
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
	LegDie
	LegSocket
	SystemCacheHit
	DRAM
	HomeService
	StoreIssue
	OuterAck
	OuterFlush
	DMB
	DSB
	ISB
	SysRegRead
	SysRegWrite
	SGI1RIssue
	SGI1RAccept
	TLBIIssue
	TLBI
	DeviceRead
	DeviceWrite
	SGITransport
	WFIExit
	ExceptionEntry
	ExceptionReturn
	RWP
	ITSCommand
	ITSSpread
	ITSTransport

	// Those of an SMMU, as smmuv3 has them.
	SMMURegisterAck
	smmuLast = SMMURegisterAck + 15

	latencies = 46
)

type latencyText struct{ name, doc string }

var latencyInfo = withSMMU([latencies]latencyText{
	{"l1_hit", "a load that hits the own L1"},
	{"handoff_cluster", "a line from another core of the cluster"},
	{"handoff_die", "a line from another cluster of the die"},
	{"leg_die", "one leg of a line's way, or of an SGI's, from a die to another of the socket"},
	{"leg_socket", "one leg of a line's way, or of an SGI's, from a socket to another"},
	{"system_cache", "a line that no CPU holds, from the system cache of the own die"},
	{"dram", "a line that no cache holds, from the memory of the own die"},
	{"home_service", "a home's work for one request of a line, before which the next one waits"},
	{"store_issue", "a store, until the next instruction"},
	{"outer_ack", outerAckDoc},
	{"outer_flush", "outer_model flush: one dirty line written out by a DSB beyond the inner-shareable domain"},
	{"dmb", "a DMB"},
	{"dsb", "a DSB with nothing outstanding"},
	{"isb", "an ISB"},
	{"sysreg_read", "MRS"},
	{"sysreg_write", "MSR"},
	{"sgi1r_issue", sgi1rIssueDoc},
	{"sgi1r_accept", sgi1rAcceptDoc},
	{"tlbi_issue", "a broadcast TLB invalidation, until the next instruction"},
	{"tlbi", "a broadcast TLB invalidation, until it is complete everywhere; several overlap"},
	{"device_read", "round trip of a load from a device"},
	{"device_write", "one way of a store to a device"},
	{"sgi_transport", sgiTransportDoc},
	{"wfi_exit", "from the interrupt input to the end of WFI"},
	{"exception_entry", "taking an interrupt"},
	{"exception_return", "ERET"},
	{"rwp", rwpDoc},
	{"its_command", itsCommandDoc},
	{"its_spread", itsSpreadDoc},
	{"its_transport", itsTransportDoc},
})

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

// assumed, sourced, varying and fitted are a preset's numbers, in picoseconds.
func assumed(low, typical, high sim.Time, why string) Latency {
	return Latency{Spread: sim.Spread{Low: low, Mean: typical, High: high}, Origin: Assumed, Source: why}
}

func sourced(low, typical, high sim.Time, source string) Latency {
	return Latency{Spread: sim.Spread{Low: low, Mean: typical, High: high}, Origin: Sourced, Source: source}
}

// varying is sourced for what was seen to vary from one transfer to another.
func varying(low, mean, high sim.Time, source string) Latency {
	l := sourced(low, mean, high, source)
	l.Varies = true
	return l
}

func fitted(t sim.Time, row PublishedRow, source, absorbs string) Latency {
	return Latency{Spread: sim.Fixed(t), Origin: Fitted, Source: source, Row: row, Absorbs: absorbs}
}
