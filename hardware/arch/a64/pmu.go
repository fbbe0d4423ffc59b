package a64

import "github.com/hwscript/hwscript/hardware/bits"

// Performance monitors: the cycle counter and its controls. DDI 0487, D13 and D19.5.
const (
	PMCR_EL0       bits.SysReg = 0xdce0 // [3,3,9,12,0] Performance Monitors Control Register.
	PMCNTENSET_EL0 bits.SysReg = 0xdce1 // [3,3,9,12,1] Performance Monitors Count Enable Set Register.
	PMCNTENCLR_EL0 bits.SysReg = 0xdce2 // [3,3,9,12,2] Performance Monitors Count Enable Clear Register.
	PMOVSCLR_EL0   bits.SysReg = 0xdce3 // [3,3,9,12,3] Performance Monitors Overflow Flag Status Clear Register.
	PMSELR_EL0     bits.SysReg = 0xdce5 // [3,3,9,12,5] Performance Monitors Event Counter Selection Register.
	PMCCNTR_EL0    bits.SysReg = 0xdce8 // [3,3,9,13,0] Performance Monitors Cycle Count Register.
	PMUSERENR_EL0  bits.SysReg = 0xdcf0 // [3,3,9,14,0] Performance Monitors User Enable Register.
	PMOVSSET_EL0   bits.SysReg = 0xdcf3 // [3,3,9,14,3] Performance Monitors Overflow Flag Status Set Register.
	PMINTENSET_EL1 bits.SysReg = 0xc4f1 // [3,0,9,14,1] Performance Monitors Interrupt Enable Set Register.
	PMINTENCLR_EL1 bits.SysReg = 0xc4f2 // [3,0,9,14,2] Performance Monitors Interrupt Enable Clear Register.
	PMCCFILTR_EL0  bits.SysReg = 0xdf7f // [3,3,14,15,7] Performance Monitors Cycle Count Filter Register.

	PMCR_EL0_E      bits.Field = 1 << 0     // [0] Counters are enabled.
	PMCR_EL0_P      bits.Field = 1 << 1     // [1] Event counter reset; WO.
	PMCR_EL0_C      bits.Field = 1 << 2     // [2] Cycle counter reset; WO.
	PMCR_EL0_D      bits.Field = 1 << 3     // [3] PMCCNTR_EL0 counts every 64th cycle.
	PMCR_EL0_X      bits.Field = 1 << 4     // [4] Events are exported.
	PMCR_EL0_DP     bits.Field = 1 << 5     // [5] The cycle counter stops where counting is prohibited.
	PMCR_EL0_LC     bits.Field = 1 << 6     // [6] The cycle counter overflows at 64 bits.
	PMCR_EL0_N      bits.Field = 0x1f << 11 // [15:11] Number of event counters.
	PMCR_EL0_IDCODE bits.Field = 0xff << 16 // [23:16] Identification code.
	PMCR_EL0_IMP    bits.Field = 0xff << 24 // [31:24] Implementer.

	PMCNTENSET_EL0_P bits.Field = 0x7fffffff << 0 // [30:0] Event counters, one bit each.
	PMCNTENSET_EL0_C bits.Field = 1 << 31         // [31] The cycle counter counts.
	PMCNTENCLR_EL0_P bits.Field = 0x7fffffff << 0 // [30:0] Event counters, one bit each.
	PMCNTENCLR_EL0_C bits.Field = 1 << 31         // [31] The cycle counter counts.
	PMOVSCLR_EL0_C   bits.Field = 1 << 31         // [31] The cycle counter overflowed.
	PMOVSSET_EL0_C   bits.Field = 1 << 31         // [31] The cycle counter overflowed.
	PMUSERENR_EL0_EN bits.Field = 1 << 0          // [0] EL0 may use the counters.
	PMUSERENR_EL0_CR bits.Field = 1 << 2          // [2] EL0 may read the cycle counter.
	PMINTENSET_EL1_C bits.Field = 1 << 31         // [31] An overflow of the cycle counter interrupts.
	PMINTENCLR_EL1_C bits.Field = 1 << 31         // [31] An overflow of the cycle counter interrupts.
	PMCCFILTR_EL0_U  bits.Field = 1 << 30         // [30] Cycles at EL0 do not count.
	PMCCFILTR_EL0_P  bits.Field = 1 << 31         // [31] Cycles at EL1 do not count.
)
