package smmuv3

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Spec says which SMMU to build: what its identification registers show, how large its caches are, what it does where
// the architecture leaves a choice, and how long its steps take. Start from [DefaultSpec].
type Spec struct {
	Stage1, Stage2  bool
	Coherent        bool // COHACC: its own accesses snoop
	BTM             bool // it hears the TLB invalidations that PEs broadcast
	HYP             bool // EL2 contexts
	ATS, PRI        bool
	MSI, SEV        bool
	VMW             bool // VMID wildcards
	ASID16, VMID16  bool
	TwoLevelCDs     bool
	TwoLevelStreams bool
	HAD             bool // permissions of tables can be switched off
	RIL             bool // range invalidation
	BBML            int  // 0 to 2
	StallModel      smmu.StallModel
	AbortOnly       bool // TERM_MODEL: a fault is never RAZ/WI
	StallMax        int  // transactions that stall at a time

	SIDBits, SSIDBits                 int
	CommandLog2, EventLog2, PRILog2   int // of the most entries of the queues
	OAS                               smmu.AddressSize
	Granule4K, Granule16K, Granule64K bool
	ArchMinor                         int // n of SMMUv3.n
	IIDR                              uint32
	PIDR                              [5]uint8

	TLBSets, TLBWays int  // the TLB has as many entries as their product; a power of two, and 1 to 8
	ConfigEntries    int  // of each cache of structures; a power of two
	FetchCommands    int  // commands that one read fetches at most, 1 to 4: those of one line
	CacheInvalid     bool // structures that are not valid are cached too, as the architecture allows

	Errata  Errata
	Mutants Mutants
	Latency [Latencies]sim.Time
}

// Errata are departures of known implementations.
type Errata struct {
	// WideMSI: the MSI of a CMD_SYNC is written as 64 bits, the data zero-extended. Hi161x; commit 84a9a7575487.
	WideMSI bool
	// PrefetchIllegal: CMD_PREFETCH_CONFIG raises CERROR_ILL. HiSilicon erratum 161010701.
	PrefetchIllegal bool
	// PageZero: the registers of page 1 are in page 0, and page 1 is empty. ThunderX2 erratum 74.
	PageZero bool
	// LostEvents: events to PEs do not come. MMU-600 erratum 1076982.
	LostEvents bool
}

// Mutants are faults that are put in to see that they are found.
type Mutants struct {
	SyncIgnoresTransactions  bool // a CMD_SYNC does not wait for transactions that use what was invalidated
	SyncIgnoresInvalidations bool // ... nor for invalidations
	SignalBeforeConsumption  bool // the MSI leaves before SMMU_CMDQ_CONS passes the CMD_SYNC
	SpanOffByOne             bool // a level 1 descriptor covers 2^Span entries
	InputClassCD             bool // CLASS of input faults is 0
	RangeByTG                bool // the granule of a range is 2^TG bytes
}

// LatencyName numbers the latencies of an SMMU's steps.
type LatencyName uint8

// The latencies. What an access to memory takes, the memory says.
const (
	RegisterAck LatencyName = iota
	CommandFetch
	CommandDecode
	CommandConsume
	InvalidateTLB
	InvalidateConfig
	SyncComplete
	MessageIssue
	EventToPEs
	InterruptWire
	RecordIssue
	Lookup
	WalkStep
	Downstream
	ATCInvalidate
	ATCTimeout

	Latencies = 16
)

var latencyInfo = [Latencies]struct{ name, doc string }{
	{"smmu_register_ack", "a write of CR0, IRQ_CTRL or GBPA takes effect"},
	{"smmu_command_fetch", "from an entry that PROD covers to the read of it"},
	{"smmu_command_decode", "from the entry's arrival to its command"},
	{"smmu_command_consume", "from the command to CONS behind it"},
	{"smmu_invalidate_tlb", "from the consumption of a TLB invalidation to its effect"},
	{"smmu_invalidate_config", "from the consumption of a configuration invalidation to its effect"},
	{"smmu_sync_complete", "from the completion of all that a CMD_SYNC waits for to CONS behind it"},
	{"smmu_message_issue", "from CONS behind a CMD_SYNC, or from an interrupt's cause, to the MSI's write"},
	{"smmu_event_to_pes", "from CONS behind a CMD_SYNC to the event at the PEs"},
	{"smmu_interrupt_wire", "from an interrupt's cause to the wire"},
	{"smmu_record_issue", "from a fault to the write of its record"},
	{"smmu_lookup", "from a transaction's arrival to what the caches have of it"},
	{"smmu_walk_step", "from the arrival of a structure or descriptor to the next read"},
	{"smmu_downstream", "from the translation to the access in the system"},
	{"smmu_atc_invalidate", "from the consumption of CMD_ATC_INV to the answer"},
	{"smmu_atc_timeout", "from the consumption of CMD_ATC_INV until no answer counts as none"},
}

// String is the latency's name in scripts.
func (n LatencyName) String() string { return latencyInfo[n].name }

// Doc says what the latency is.
func (n LatencyName) Doc() string { return latencyInfo[n].doc }

// DefaultSpec is an SMMU with both stages, all granules and MSIs, and no latencies.
func DefaultSpec() Spec {
	return Spec{
		Stage1: true, Stage2: true, Coherent: true, MSI: true, SEV: true, ASID16: true, VMID16: true, TwoLevelCDs: true,
		TwoLevelStreams: true, HAD: true, StallMax: 32, SIDBits: 16, SSIDBits: 16, CommandLog2: 19, EventLog2: 19,
		PRILog2: 19, OAS: smmu.Address48, Granule4K: true, Granule16K: true, Granule64K: true, ArchMinor: 1, IIDR: 0x43b,
		TLBSets: 512, TLBWays: 4, ConfigEntries: 256, FetchCommands: 4, CacheInvalid: true,
	}
}

// Validate names the field that makes no SMMU, and its limit.
func (s *Spec) Validate() error {
	for _, f := range [...]struct {
		name          string
		v, low, limit int
	}{
		{"SIDBits", s.SIDBits, 0, 32},
		{"SSIDBits", s.SSIDBits, 0, 20},
		{"CommandLog2", s.CommandLog2, 0, int(smmu.MaxQueueLog2)},
		{"EventLog2", s.EventLog2, 0, int(smmu.MaxQueueLog2)},
		{"PRILog2", s.PRILog2, 0, int(smmu.MaxQueueLog2)},
		{"BBML", s.BBML, 0, 2},
		{"StallMax", s.StallMax, 0, 0xffff},
		{"OAS", int(s.OAS), int(smmu.Address32), int(smmu.Address48)},
		{"ArchMinor", s.ArchMinor, 0, 15},
		{"TLBWays", s.TLBWays, 1, 8},
		{"FetchCommands", s.FetchCommands, 1, maxFetch},
		{"StallModel", int(s.StallModel), 0, int(smmu.StallOnly)},
	} {
		if f.v < f.low || f.v > f.limit {
			return fmt.Errorf("smmuv3: %s is %d: want %d to %d", f.name, f.v, f.low, f.limit)
		}
	}
	for _, f := range [...]struct {
		name string
		v    int
	}{{"TLBSets", s.TLBSets}, {"ConfigEntries", s.ConfigEntries}} {
		if f.v < 1 || f.v > 1<<16 || f.v&(f.v-1) != 0 {
			return fmt.Errorf("smmuv3: %s is %d: want a power of two up to 65536", f.name, f.v)
		}
	}
	for n, l := range s.Latency {
		if l < 0 {
			return fmt.Errorf("smmuv3: %s is %v: want no less than zero", LatencyName(n), l)
		}
	}
	switch {
	case !s.Stage1 && !s.Stage2:
		return fmt.Errorf("smmuv3: Stage1 and Stage2 are false: want a stage")
	case !s.Granule4K && !s.Granule16K && !s.Granule64K:
		return fmt.Errorf("smmuv3: no granule: want one")
	case s.StallModel == smmu.TerminateOnly && s.StallMax != 0:
		return fmt.Errorf("smmuv3: StallMax is %d: want 0 where nothing stalls", s.StallMax)
	case s.StallModel != smmu.TerminateOnly && s.StallMax == 0:
		return fmt.Errorf("smmuv3: StallMax is 0: want some where faults stall")
	}
	return nil
}

// aField is a field and what it holds.
type aField struct {
	field bits.Field
	v     uint64
}

func assemble(fields ...aField) (v uint64) {
	for _, f := range fields {
		v = f.field.Put(v, f.v)
	}
	return v
}

// identification is IDR0 to IDR6.
func (s *Spec) identification() (idr [7]uint64) {
	idr[0] = assemble(
		aField{smmu.SMMU_IDR0_S2P, bits.Flag(s.Stage2)}, aField{smmu.SMMU_IDR0_S1P, bits.Flag(s.Stage1)},
		aField{smmu.SMMU_IDR0_TTF, uint64(smmu.TablesAArch64)}, aField{smmu.SMMU_IDR0_COHACC, bits.Flag(s.Coherent)},
		aField{smmu.SMMU_IDR0_BTM, bits.Flag(s.BTM)}, aField{smmu.SMMU_IDR0_HYP, bits.Flag(s.HYP)},
		aField{smmu.SMMU_IDR0_ATS, bits.Flag(s.ATS)}, aField{smmu.SMMU_IDR0_ASID16, bits.Flag(s.ASID16)},
		aField{smmu.SMMU_IDR0_MSI, bits.Flag(s.MSI)}, aField{smmu.SMMU_IDR0_SEV, bits.Flag(s.SEV)},
		aField{smmu.SMMU_IDR0_PRI, bits.Flag(s.PRI)}, aField{smmu.SMMU_IDR0_VMW, bits.Flag(s.VMW)},
		aField{smmu.SMMU_IDR0_VMID16, bits.Flag(s.VMID16)}, aField{smmu.SMMU_IDR0_CD2L, bits.Flag(s.TwoLevelCDs)},
		aField{smmu.SMMU_IDR0_TTENDIAN, uint64(smmu.EndianLittle)},
		aField{smmu.SMMU_IDR0_STALL_MODEL, uint64(s.StallModel)},
		aField{smmu.SMMU_IDR0_TERM_MODEL, bits.Flag(s.AbortOnly)},
		aField{smmu.SMMU_IDR0_ST_LEVEL, bits.Flag(s.TwoLevelStreams)},
	)
	idr[1] = assemble(
		aField{smmu.SMMU_IDR1_SIDSIZE, uint64(s.SIDBits)}, aField{smmu.SMMU_IDR1_SSIDSIZE, uint64(s.SSIDBits)},
		aField{smmu.SMMU_IDR1_EVENTQS, uint64(s.EventLog2)}, aField{smmu.SMMU_IDR1_CMDQS, uint64(s.CommandLog2)},
	)
	if s.PRI {
		idr[1] = smmu.SMMU_IDR1_PRIQS.Put(idr[1], uint64(s.PRILog2))
	}
	idr[3] = assemble(aField{smmu.SMMU_IDR3_HAD, bits.Flag(s.HAD)}, aField{smmu.SMMU_IDR3_RIL, bits.Flag(s.RIL)},
		aField{smmu.SMMU_IDR3_BBML, uint64(s.BBML)})
	idr[5] = assemble(
		aField{smmu.SMMU_IDR5_OAS, uint64(s.OAS)}, aField{smmu.SMMU_IDR5_GRAN4K, bits.Flag(s.Granule4K)},
		aField{smmu.SMMU_IDR5_GRAN16K, bits.Flag(s.Granule16K)}, aField{smmu.SMMU_IDR5_GRAN64K, bits.Flag(s.Granule64K)},
		aField{smmu.SMMU_IDR5_STALL_MAX, uint64(s.StallMax)},
	)
	return idr
}

// granule reports whether there are pages of 2^shift bytes.
func (s *Spec) granule(shift uint8) bool {
	return shift == 12 && s.Granule4K || shift == 14 && s.Granule16K || shift == 16 && s.Granule64K
}
