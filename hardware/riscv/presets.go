package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The cores below have what is known of their translation; what their programs cost (Spec.CPU but for the clock), and
// their hart ids, are the machine's. Quirks are off.

// C906 is T-Head's C906, of the Allwinner D1: from the RTL of openC906, and its manual. D1's own joint TLB is
// unverified: the core can be built with 128, 256 or 512 entries, in two ways. Cycles are those of a simulation of the
// MMU's and the fence control's RTL, not of silicon; pipeline drain and refetch are not in them.
func C906(jointEntries int) Spec {
	scale := int64(jointEntries) / 128
	s := Spec{
		TimeFreq: 24 * sim.Megahertz, Widest: rv.Sv39, ASIDBits: 16, PhysicalBits: 40, Format: mmu.Sv{THead: true},
		ITLB:  TLBSpec{Sets: 1, Ways: 10, Replace: PLRU},
		DTLB:  TLBSpec{Sets: 1, Ways: 10, Replace: PLRU},
		Joint: TLBSpec{Sets: jointEntries / 2, Ways: 2, Replace: FIFO}, UntaggedMicro: true,
		ICache: CacheSpec{Sets: 256, Ways: 2},
		Cost: Cost{
			JointHit: 4, JointProbe: 2, Walk: 15, WalkRead: 1, FenceAll: 64*scale + 1, FenceASID: 512*scale + 1, FenceAbsent: 11,
			FencePresent: 14, ICacheWipe: 264,
		},
	}
	s.CPU.Clock = 1008 * sim.Megahertz
	return s
}

// C920 is T-Head's C920, of the SG2042: from the manual and the RTL of C910. A fence of everything writes 256 indices;
// one of a space looks at 1024 entries, about four cycles each, which is inferred from the RTL. Walk and fences by
// address are those of the C906.
func C920() Spec {
	s := Spec{
		TimeFreq: 50 * sim.Megahertz, Widest: rv.Sv39, ASIDBits: 16, PhysicalBits: 40, Format: mmu.Sv{THead: true},
		ITLB:  TLBSpec{Sets: 1, Ways: 32, Replace: PLRU},
		DTLB:  TLBSpec{Sets: 1, Ways: 17, Replace: PLRU},
		Joint: TLBSpec{Sets: 256, Ways: 4, Replace: FIFO}, UntaggedMicro: true,
		ICache: CacheSpec{Sets: 512, Ways: 2},
		Cost: Cost{
			JointHit: 3, JointProbe: 1, Walk: 15, WalkRead: 1, FenceAll: 256, FenceASID: 4096, FenceAbsent: 11, FencePresent: 14,
			ICacheWipe: 512,
		},
	}
	s.CPU.Clock = 2 * sim.Gigahertz
	return s
}

// U74 is SiFive's U74, of the FU740: from its device tree, and from the fixes of Linux, which finds no ASIDs there. The
// joint TLB and all cycles are assumed.
func U74() Spec {
	s := Spec{
		TimeFreq: sim.Megahertz, Widest: rv.Sv39, ASIDBits: 0, PhysicalBits: 38,
		ITLB: TLBSpec{Sets: 1, Ways: 40, Replace: PLRU}, DTLB: TLBSpec{Sets: 1, Ways: 40, Replace: PLRU},
		Joint:  TLBSpec{Sets: 512, Ways: 1, Replace: FIFO},
		ICache: CacheSpec{Sets: 128, Ways: 4},
		Cost: Cost{
			JointHit: 4, Walk: 15, WalkRead: 1, FenceAll: 64, FenceASID: 64, FenceAbsent: 11, FencePresent: 14, ICacheWipe: 64,
		},
	}
	s.CPU.Clock = 1200 * sim.Megahertz
	return s
}
