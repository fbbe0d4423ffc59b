package machine

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// itsAt is where the ITS is in the memory map of QEMU's virt board.
const itsAt = 0x0808_0000

// DefaultITSSpec is an ITS for a board that has none.
func DefaultITSSpec() *ITSSpec { return &ITSSpec{Base: itsAt, ITS: its.DefaultSpec(nil)} }

// withITS gives a machine what an ITS takes, of which nothing is published anywhere.
func withITS(s *Spec) {
	const nothing = "nothing published"
	s.Latency[ITSCommand] = assumed(20*ns, 100*ns, 2000*ns, nothing)
	s.Latency[ITSSpread] = assumed(0, 0, 200*ns, nothing)
	s.Latency[ITSTransport] = assumed(10*ns, 50*ns, 200*ns, nothing)
}

// qdf2400 is a machine for the read-allocation hints of seed 001, which says of its own no more than "Qualcomm
// hardware": 48 Falkor cores in pairs, which share an L2, and an L3.
func qdf2400() Spec {
	const (
		nothing = "nothing published"
		falkor  = "Qualcomm at Hot Chips 29: Falkor"
	)
	clock := 2400 * sim.Megahertz
	service := its.DefaultSpec(nil)
	service.IIDR = 0x1070 // the one whose entries are of 16 bytes while GITS_TYPER says 8 (erratum 0065)
	service.ITESize, service.ITTEntry = 16, 8
	board := ArmSpec{
		Affinities: AffinityFlat, PerAff0: 2, MIDR: midr(a64.ImplementerQualcomm, a64.PartFalkor),
		CounterFreq: 20 * sim.Megahertz, GICDBase: 0x0800_0000, GICRs: []Region{{0x080a_0000, 123}},
		GIC: gicv3.DefaultSpec(1, 0), ITS: &ITSSpec{Base: itsAt, ITS: service}, Driver: irqchip.DefaultOptions(),
	}
	board.GIC.NumSPIs = 224
	board.GIC.PendingWrites = true
	board.SMMUBase = 0x0905_0000
	board.Driver.ITS = irqchip.DefaultITSOptions(irqchip.ITS49)
	s := Spec{
		Name: "qdf2400", Sockets: 1, Dies: 1, Clusters: 24, Cores: 2, CPUs: 48, Clock: clock, StoreBuffer: 24,
		OuterWindow: OuterWindowTypical, Jitter: true, RAMBase: 0x4000_0000, RAMSize: 1024 * mib,
		// The L3, 12 x 5 MiB with lines of 128 bytes; its ways are assumed.
		SystemCache: mem.SystemCacheSpec{Size: 60 * mib, Ways: 20, LineSize: 128},
		Linux:       linux.DefaultOptions(), Costs: linux.DefaultCosts(), Seed: 1, Board: &board,
		Assumptions: []string{
			"that the machine of seed 001 is a QDF2400: the seed says \"Qualcomm hardware\"",
			"the clock, 2400 MHz: products had 2200 MHz and up to 2600 MHz",
			"the memory map, the number of SPIs, the ways of the system cache, and whether each LPI writes the pending table",
		},
	}
	s.Latency = [latencies]Latency{
		L1Hit:           sourced(clock.Cycles(3), clock.Cycles(3), clock.Cycles(3), falkor+", load to use 3 cycles"),
		HandOffCluster:  assumed(10*ns, 20*ns, 40*ns, nothing),
		HandOffDie:      assumed(30*ns, 50*ns, 80*ns, nothing),
		LegDie:          assumed(10*ns, 20*ns, 30*ns, "there is one die"),
		LegSocket:       assumed(25*ns, 50*ns, 75*ns, "there is one socket"),
		DRAM:            assumed(80*ns, 115*ns, 150*ns, nothing+"; 80.8 ns on another server with six channels of DDR4"),
		SystemCacheHit:  assumed(30*ns, 40_900, 50*ns, "Chips and Cheese: 40.9 ns for a CPU's load; the ITS's is unknown"),
		HomeService:     assumed(0, 4*ns, 10*ns, nothing),
		StoreIssue:      assumed(clock.Cycles(1), clock.Cycles(1), clock.Cycles(2), "1 or 2 cycles"),
		OuterAck:        assumed(3_800, 35*ns, 79*ns, nothing),
		OuterFlush:      assumed(1*ns, 4*ns, 110*ns, nothing),
		DMB:             assumed(clock.Cycles(1), clock.Cycles(6), clock.Cycles(30), "1 to 30 cycles"),
		DSB:             assumed(clock.Cycles(10), clock.Cycles(30), clock.Cycles(100), "10 to 100 cycles"),
		ISB:             assumed(clock.Cycles(14), clock.Cycles(20), clock.Cycles(60), "a pipeline refill"),
		SysRegRead:      assumed(5*ns, 20*ns, 100*ns, nothing),
		SysRegWrite:     assumed(5*ns, 20*ns, 100*ns, nothing),
		SGI1RIssue:      assumed(5*ns, 20*ns, 100*ns, nothing),
		SGI1RAccept:     assumed(5*ns, 20*ns, 200*ns, nothing),
		TLBIIssue:       assumed(1*ns, 5*ns, 20*ns, nothing),
		TLBI:            assumed(300*ns, 800*ns, 2500*ns, nothing),
		DeviceRead:      assumed(50*ns, 100*ns, 300*ns, nothing),
		DeviceWrite:     assumed(25*ns, 50*ns, 150*ns, nothing),
		SGITransport:    assumed(100*ns, 200*ns, 500*ns, nothing),
		WFIExit:         assumed(5*ns, 20*ns, 200*ns, nothing),
		ExceptionEntry:  assumed(5*ns, 10*ns, 50*ns, nothing),
		ExceptionReturn: assumed(5*ns, 10*ns, 50*ns, nothing),
		RWP:             assumed(50*ns, 200*ns, 1000*ns, nothing),
	}
	withITS(&s)
	smmuLatencies(&s.Latency)
	return s
}
