package machine

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// hi1616 is the board D05: 2 sockets of 2 dies of 16 Cortex-A72 in clusters of 4, 2.4 GHz, on which the driver of the
// SMMUv3 was measured. Of its latencies nobody has published any. Its SMMU writes the MSI of a CMD_SYNC as 64 bits.
func hi1616() Spec {
	const (
		nothing = "nothing published"
		table   = "nothing published; from a hand-off on a Kunpeng 920 to twice that"
	)
	clock := 2400 * sim.Megahertz
	board := ArmSpec{
		Affinities: AffinityFlat, PerAff0: 4, MIDR: midr(a64.ImplementerArm, a64.PartCortexA72),
		CounterFreq: 50 * sim.Megahertz, GICDBase: 0x4d00_0000, GICRs: []Region{{0x4d10_0000, 64}},
		GIC: gicv3.DefaultSpec(1, 0), SMMUBase: 0xa004_0000, SMMU: DefaultSMMU(0xa004_0000),
		Driver: irqchip.DefaultOptions(),
	}
	board.SMMU.SMMU.Errata.WideMSI = true
	board.SMMU.SMMU.Errata.PrefetchIllegal = true
	s := Spec{
		Name: "hi1616", Sockets: 2, Dies: 2, Clusters: 4, Cores: 4, CPUs: 64, Clock: clock,
		StoreBuffer: 16, OuterWindow: OuterWindowTypical, Jitter: true, RAMBase: 0, RAMSize: 1024 * mib,
		SystemCache: mem.SystemCacheSpec{Size: 16 * mib, Ways: 16, LineSize: mem.LineSize},
		Linux:       linux.DefaultOptions(), Costs: linux.DefaultCosts(), Seed: 1, Board: &board,
	}
	s.Latency = [latencies]Latency{
		L1Hit:           assumed(clock.Cycles(4), clock.Cycles(4), clock.Cycles(5), "load to use 4 cycles"),
		HandOffCluster:  assumed(30*ns, 40*ns, 76*ns, table),
		HandOffDie:      assumed(32*ns, 45*ns, 76*ns, table),
		LegDie:          assumed(20*ns, 30*ns, 50*ns, table),
		LegSocket:       assumed(25*ns, 60*ns, 100*ns, table),
		DRAM:            assumed(80*ns, 120*ns, 170*ns, nothing),
		SystemCacheHit:  assumed(15*ns, 32*ns, 38*ns, nothing),
		HomeService:     assumed(1*ns, 4*ns, 10*ns, nothing),
		StoreIssue:      assumed(clock.Cycles(1), clock.Cycles(1), clock.Cycles(2), "1 or 2 cycles"),
		OuterAck:        assumed(4*ns, 45*ns, 100*ns, nothing),
		OuterFlush:      assumed(1*ns, 10*ns, 120*ns, nothing),
		DMB:             assumed(clock.Cycles(1), clock.Cycles(6), clock.Cycles(30), "1 to 30 cycles"),
		DSB:             assumed(clock.Cycles(10), clock.Cycles(30), clock.Cycles(100), "10 to 100 cycles"),
		ISB:             assumed(clock.Cycles(14), clock.Cycles(20), clock.Cycles(60), "a pipeline refill"),
		SysRegRead:      assumed(5*ns, 20*ns, 100*ns, nothing),
		SysRegWrite:     assumed(5*ns, 20*ns, 100*ns, nothing),
		SGI1RIssue:      assumed(5*ns, 20*ns, 100*ns, nothing),
		SGI1RAccept:     assumed(5*ns, 20*ns, 200*ns, nothing),
		TLBIIssue:       assumed(1*ns, 5*ns, 20*ns, nothing),
		TLBI:            assumed(300*ns, 800*ns, 2500*ns, nothing),
		DeviceRead:      assumed(300*ns, 500*ns, 1000*ns, "nothing published; an MMIO read is said to take 0.3 to 1 us"),
		DeviceWrite:     assumed(50*ns, 100*ns, 150*ns, "nothing published; with a DSB 0.1 to 0.3 us are said"),
		SGITransport:    assumed(100*ns, 300*ns, 600*ns, nothing),
		WFIExit:         assumed(5*ns, 20*ns, 200*ns, nothing),
		ExceptionEntry:  assumed(5*ns, 10*ns, 50*ns, nothing),
		ExceptionReturn: assumed(5*ns, 10*ns, 50*ns, nothing),
		RWP:             assumed(50*ns, 200*ns, 1000*ns, nothing),
	}
	withITS(&s)
	smmuLatencies(&s.Latency)
	return s
}
