package bindings

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/host/api"
)

// statsValues are a machine's counters.
type statsValues struct {
	Events, Loads, Stores, Atomics, Fences            uint64
	TransfersCluster, TransfersDie, TransfersCrossDie uint64
	TransfersCrossSocket                              uint64
	TransfersSystemCache, TransfersDRAM               uint64
	SysregReads, SysregWrites, DeviceReads            uint64
	DeviceWrites, Interrupts, Waits                   uint64
	IPIs                                              uint64 `lua:"ipis"`
	Spurious                                          uint64
	SGIsSent                                          uint64 `lua:"sgis_sent"`
	SGIsDelivered                                     uint64 `lua:"sgis_delivered"`
	SGIsCoalesced                                     uint64 `lua:"sgis_coalesced"`
	SGIsDropped                                       uint64 `lua:"sgis_dropped"`
}

// String lists the counters that are not zero, in decimal.
func (s statsValues) String() string {
	var parts []string
	v := reflect.ValueOf(s)
	for i, f := range statsClass.Fields {
		if n := v.Field(i).Uint(); n != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", f.Name, n))
		}
	}
	if parts == nil {
		return "stats: all counters 0"
	}
	return "stats: " + strings.Join(parts, ", ")
}

func machineStats(m *machineObject) statsValues {
	v := statsValues{Events: m.Engine.Fired()}
	v.countSGIs(m.Machine)
	for i, p := range m.CPUs {
		s, k := p.Stats(), m.Kernel.Counts(i)
		v.Loads += s.Loads
		v.Stores += s.Stores
		v.Atomics += s.Atomics
		v.Fences += s.Fences
		v.TransfersCluster += s.Transfers[mem.Cluster]
		v.TransfersDie += s.Transfers[mem.Die]
		v.TransfersCrossDie += s.Transfers[mem.CrossDie]
		v.TransfersCrossSocket += s.Transfers[mem.CrossNode]
		v.TransfersSystemCache += s.Transfers[mem.SystemCache]
		v.TransfersDRAM += s.Transfers[mem.DRAM]
		v.SysregReads += s.SysRegReads
		v.SysregWrites += s.SysRegWrites
		v.DeviceReads += s.DeviceReads
		v.DeviceWrites += s.DeviceWrites
		v.Interrupts += s.Interrupts
		v.Waits += s.Waits
		v.IPIs += k.IPIs
		v.Spurious += k.Spurious
	}
	return v
}

var (
	statsClass = api.NewRecord[statsValues]("Stats",
		"A machine's counters since it was built, over all CPUs. The difference of two is what was counted between them.",
		`hw.machine("virt"):stats()`, map[string]string{
			"events": "Events of the simulation.", "loads": "Loads of CPUs from memory.", "stores": "Stores of CPUs to memory.",
			"atomics": "Atomic operations of CPUs.", "fences": "Barrier instructions other than ISB.",
			"transfers_cluster":      "Cache lines that came from another core of the cluster.",
			"transfers_die":          "Cache lines that came from another cluster of the die.",
			"transfers_cross_die":    "Cache lines that came from another die of the socket.",
			"transfers_cross_socket": "Cache lines that came from another socket.",
			"transfers_system_cache": "Cache lines that came from the system cache.",
			"transfers_dram":         "Cache lines that came from DRAM.",
			"sysreg_reads":           "System register reads (MRS).", "sysreg_writes": "System register writes (MSR).",
			"device_reads": "Reads of device registers.", "device_writes": "Writes of device registers.",
			"interrupts": "Interrupts taken by CPUs.", "waits": "Times that a CPU began to wait.",
			"ipis":           "Call-function interrupts that the kernel handled.",
			"spurious":       "Interrupts that were gone when the kernel acknowledged them.",
			"sgis_sent":      "SGIs on wires, one for each target.",
			"sgis_delivered": "SGIs that became pending at their target.",
			"sgis_coalesced": "SGIs that found the same SGI pending already.",
			"sgis_dropped":   "SGIs lost: the target had no power, or the group was wrong.",
		}).WithDifference()

	costsClass = api.NewRecord[linux.Costs]("Costs",
		"Straight-line code in the kernel's functions, in cycles of the CPU's clock.", `hw.machine("virt").linux.costs`,
		costDocs())
)

func costDocs() map[string]string {
	docs := map[string]string{}
	for _, c := range linux.DefaultCosts().List() {
		docs[c.Name] = c.Doc + ", in cycles."
	}
	return docs
}
