package arm

import "github.com/hwscript/hwscript/hardware/bus"

// accesses is a barrier's type: which accesses it waits for, and which wait for it.
type accesses uint8

const (
	all accesses = iota
	loads
	stores
)

// barrier is the fence that a DMB, or with completion a DSB, is. Device registers are memory to Arm's barriers.
func barrier(domain bus.Domain, kind accesses, completion bool) bus.Fence {
	f := bus.Fence{Before: bus.AnyAccess, After: bus.AnyAccess, Domain: domain, Completion: completion}
	switch kind {
	case loads:
		f.Before = bus.Load | bus.DeviceInput
	case stores:
		f.Before = bus.Store | bus.DeviceOutput
		f.After = f.Before
	}
	return f
}

// barrierOptions are the limitations of DMB and DSB in the order of their CRm encodings 1 to 15 (DDI 0487, C6.2, DMB).
var barrierOptions = [...]struct {
	name   string
	domain bus.Domain
	kind   accesses
}{
	{"oshld", bus.OuterShareable, loads}, {"oshst", bus.OuterShareable, stores}, {"osh", bus.OuterShareable, all},
	{"nshld", bus.NonShareable, loads}, {"nshst", bus.NonShareable, stores}, {"nsh", bus.NonShareable, all},
	{"ishld", bus.InnerShareable, loads}, {"ishst", bus.InnerShareable, stores}, {"ish", bus.InnerShareable, all},
	{"ld", bus.FullSystem, loads}, {"st", bus.FullSystem, stores}, {"sy", bus.FullSystem, all},
}

// BarrierOptions are the names that DMB and DSB take: "ishst", "sy", ...
func BarrierOptions() []string {
	names := make([]string, len(barrierOptions))
	for i, o := range barrierOptions {
		names[i] = o.name
	}
	return names
}

// DMB is the data memory barrier with the given option; false if there is no such option.
func DMB(option string) (bus.Fence, bool) { return parseBarrier(option, false) }

// DSB is the data synchronization barrier with the given option; false if there is no such option.
func DSB(option string) (bus.Fence, bool) { return parseBarrier(option, true) }

func parseBarrier(option string, completion bool) (bus.Fence, bool) {
	for _, o := range barrierOptions {
		if o.name == option {
			return barrier(o.domain, o.kind, completion), true
		}
	}
	return bus.Fence{}, false
}

// Barriers by name. The other forms come from [DMB] and [DSB].
var (
	DMBISH   = barrier(bus.InnerShareable, all, false)
	DMBISHST = barrier(bus.InnerShareable, stores, false)
	DSBISHST = barrier(bus.InnerShareable, stores, true)
	DSBST    = barrier(bus.FullSystem, stores, true)
	DSBSY    = barrier(bus.FullSystem, all, true)
)

// FenceName is the instruction: "dsb ishst", "dmb sy"; for a fence that Arm does not have, its sets.
func FenceName(f bus.Fence) string {
	for _, o := range barrierOptions {
		switch f {
		case barrier(o.domain, o.kind, false):
			return "dmb " + o.name
		case barrier(o.domain, o.kind, true):
			return "dsb " + o.name
		}
	}
	return f.String()
}
