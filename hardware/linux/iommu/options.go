package iommu

// Numbering is where the number of a CMD_SYNC is drawn.
type Numbering uint8

// The numberings.
const (
	NumberedOutside Numbering = iota // by an atomic, before the lock is taken
	NumberedInside                   // by a load and a store, with the lock held
)

// Building is where a CMD_SYNC is built.
type Building uint8

// The places.
const (
	BuiltOutside Building = iota // by arm_smmu_cmdq_build_cmd, before the lock is taken
	BuiltInside                  // by the same, with the lock held
	BuiltShort                   // with the lock held, by a builder that knows nothing but CMD_SYNC
)

// Skipping is what a CPU does that finds a CMD_SYNC last in the queue.
type Skipping uint8

// The ways.
const (
	SkipsNone     Skipping = iota
	SkipsInserted          // it inserts none, and waits for the number of the last one inserted
	SkipsCounter           // it inserts none, and waits for the number that was drawn last, which may not be inserted yet
)

// Options are what patches change.
type Options struct {
	Numbering Numbering
	Building  Building
	Skipping  Skipping
	Lockless  bool // of v5.4; the three above then mean nothing

	MSI         bool   // a CMD_SYNC's completion is told by an MSI, else SMMU_CMDQ_CONS is polled
	TicketLock  bool   // arm64's spinlocks up to v4.18; else queued ones
	DMBWrites   bool   // writel begins with DMB OSHST, from v5.11 on; else with DSB ST
	Ranges      bool   // ranges are invalidated by one command, where SMMU_IDR3.RIL says so; v5.7
	ErrorMask   uint64 // of SMMU_GERROR, the errors that the handler knows
	EntriesLog2 uint8
	Costs       Costs
}

// The masks of errors: that of v4.18 leaves out SFM_ERR, so that its interrupt counts as not the SMMU's, when nothing
// else is active; later kernels have all.
const (
	errorMask418 = 0xfd
	ErrorMaskAll = 0x1fd
)

// Costs are the cycles of straight-line code between accesses. All are assumed, at one instruction a cycle.
type Costs struct {
	BuildGeneric int64 // arm_smmu_cmdq_build_cmd: zeroing, an indirect branch, fields
	BuildSync    int64 // of CMD_SYNC alone
	Or           int64 // the number into a command that is built
	Insert       int64 // queue_insert_raw beside its accesses
	Lockless     int64 // arm_smmu_cmdq_issue_cmdlist beside its accesses, each round
	Unmap        int64 // __arm_lpae_unmap and its callers
}

// DefaultCosts are the assumed counts.
func DefaultCosts() Costs {
	return Costs{BuildGeneric: 34, BuildSync: 6, Or: 3, Insert: 12, Lockless: 40, Unmap: 120}
}

// Variants are the names of the variants, in order.
func Variants() []string {
	return []string{"a", "a+skip", "a+skip counter", "b", "c", "d", "e", "f", "f+skip", "g"}
}

// Variant is the options of a variant by its name; false if there is none.
func Variant(name string) (Options, bool) {
	o := Options{MSI: true, ErrorMask: errorMask418, EntriesLog2: 8, Costs: DefaultCosts()}
	switch name {
	case "a":
		o.TicketLock = true
	case "a+skip":
		o.TicketLock, o.Skipping = true, SkipsInserted
	case "a+skip counter":
		o.TicketLock, o.Skipping = true, SkipsCounter
	case "b":
		o.TicketLock, o.Numbering, o.Building = true, NumberedInside, BuiltInside
	case "c":
		o.TicketLock, o.Numbering, o.Building = true, NumberedInside, BuiltOutside
	case "d":
		o.TicketLock, o.Numbering, o.Building = true, NumberedInside, BuiltShort
	case "e":
		o.TicketLock, o.Numbering, o.Building, o.Skipping = true, NumberedInside, BuiltShort, SkipsCounter
	case "f":
		o.Numbering, o.Building = NumberedInside, BuiltInside
	case "f+skip":
		o.Numbering, o.Building, o.Skipping = NumberedInside, BuiltInside, SkipsCounter
	case "g":
		o.Lockless, o.EntriesLog2 = true, 16
	default:
		return Options{}, false
	}
	return o, true
}
