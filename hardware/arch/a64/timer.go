package a64

import "github.com/hwscript/hwscript/hardware/bits"

// Generic timer. DDI 0487, D12 and D19.12.
const (
	CNTFRQ_EL0    bits.SysReg = 0xdf00 // [3,3,14,0,0] Counter-timer Frequency Register, in hertz.
	CNTPCT_EL0    bits.SysReg = 0xdf01 // [3,3,14,0,1] Counter-timer Physical Count Register.
	CNTVCT_EL0    bits.SysReg = 0xdf02 // [3,3,14,0,2] Counter-timer Virtual Count Register.
	CNTPCTSS_EL0  bits.SysReg = 0xdf05 // [3,3,14,0,5] Counter-timer Self-Synchronized Physical Count Register.
	CNTVCTSS_EL0  bits.SysReg = 0xdf06 // [3,3,14,0,6] Counter-timer Self-Synchronized Virtual Count Register.
	CNTP_TVAL_EL0 bits.SysReg = 0xdf10 // [3,3,14,2,0] Counter-timer Physical Timer TimerValue Register.
	CNTP_CTL_EL0  bits.SysReg = 0xdf11 // [3,3,14,2,1] Counter-timer Physical Timer Control Register.
	CNTP_CVAL_EL0 bits.SysReg = 0xdf12 // [3,3,14,2,2] Counter-timer Physical Timer CompareValue Register.
	CNTV_TVAL_EL0 bits.SysReg = 0xdf18 // [3,3,14,3,0] Counter-timer Virtual Timer TimerValue Register.
	CNTV_CTL_EL0  bits.SysReg = 0xdf19 // [3,3,14,3,1] Counter-timer Virtual Timer Control Register.
	CNTV_CVAL_EL0 bits.SysReg = 0xdf1a // [3,3,14,3,2] Counter-timer Virtual Timer CompareValue Register.
	CNTKCTL_EL1   bits.SysReg = 0xc708 // [3,0,14,1,0] Counter-timer Kernel Control Register.

	CNTP_CTL_EL0_ENABLE  bits.Field = 1 << 0   // [0] The timer runs.
	CNTP_CTL_EL0_IMASK   bits.Field = 1 << 1   // [1] Its interrupt is masked.
	CNTP_CTL_EL0_ISTATUS bits.Field = 1 << 2   // [2] Its condition is met.
	CNTV_CTL_EL0_ENABLE  bits.Field = 1 << 0   // [0] The timer runs.
	CNTV_CTL_EL0_IMASK   bits.Field = 1 << 1   // [1] Its interrupt is masked.
	CNTV_CTL_EL0_ISTATUS bits.Field = 1 << 2   // [2] Its condition is met.
	CNTKCTL_EL1_EL0PCTEN bits.Field = 1 << 0   // [0] EL0 may read the physical counter.
	CNTKCTL_EL1_EL0VCTEN bits.Field = 1 << 1   // [1] EL0 may read the virtual counter.
	CNTKCTL_EL1_EVNTEN   bits.Field = 1 << 2   // [2] The counter generates an event stream, which ends WFE.
	CNTKCTL_EL1_EVNTDIR  bits.Field = 1 << 3   // [3] Events come at 1 to 0 transitions of the bit that EVNTI selects.
	CNTKCTL_EL1_EVNTI    bits.Field = 0xf << 4 // [7:4] The counter bit that makes events.
)
