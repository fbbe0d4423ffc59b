package gic

import "github.com/hwscript/hwscript/hardware/bits"

// CPU interface system registers; the comment gives op0, op1, CRn, CRm and op2. IHI 0069, 12.2.
const (
	ICC_PMR_EL1     bits.SysReg = 0xc230 // [3,0,4,6,0] Interrupt Priority Mask Register.
	ICC_IAR0_EL1    bits.SysReg = 0xc640 // [3,0,12,8,0] Interrupt Acknowledge Register 0.
	ICC_EOIR0_EL1   bits.SysReg = 0xc641 // [3,0,12,8,1] End Of Interrupt Register 0.
	ICC_HPPIR0_EL1  bits.SysReg = 0xc642 // [3,0,12,8,2] Highest Priority Pending Interrupt Register 0.
	ICC_BPR0_EL1    bits.SysReg = 0xc643 // [3,0,12,8,3] Binary Point Register 0.
	ICC_AP0R0_EL1   bits.SysReg = 0xc644 // [3,0,12,8,4] Active Priorities Group 0 Register 0.
	ICC_AP0R1_EL1   bits.SysReg = 0xc645 // [3,0,12,8,5] Active Priorities Group 0 Register 1.
	ICC_AP0R2_EL1   bits.SysReg = 0xc646 // [3,0,12,8,6] Active Priorities Group 0 Register 2.
	ICC_AP0R3_EL1   bits.SysReg = 0xc647 // [3,0,12,8,7] Active Priorities Group 0 Register 3.
	ICC_AP1R0_EL1   bits.SysReg = 0xc648 // [3,0,12,9,0] Active Priorities Group 1 Register 0.
	ICC_AP1R1_EL1   bits.SysReg = 0xc649 // [3,0,12,9,1] Active Priorities Group 1 Register 1.
	ICC_AP1R2_EL1   bits.SysReg = 0xc64a // [3,0,12,9,2] Active Priorities Group 1 Register 2.
	ICC_AP1R3_EL1   bits.SysReg = 0xc64b // [3,0,12,9,3] Active Priorities Group 1 Register 3.
	ICC_DIR_EL1     bits.SysReg = 0xc659 // [3,0,12,11,1] Deactivate Interrupt Register.
	ICC_RPR_EL1     bits.SysReg = 0xc65b // [3,0,12,11,3] Running Priority Register.
	ICC_SGI1R_EL1   bits.SysReg = 0xc65d // [3,0,12,11,5] SGI Group 1 Register.
	ICC_ASGI1R_EL1  bits.SysReg = 0xc65e // [3,0,12,11,6] Alias SGI Group 1 Register.
	ICC_SGI0R_EL1   bits.SysReg = 0xc65f // [3,0,12,11,7] SGI Group 0 Register.
	ICC_IAR1_EL1    bits.SysReg = 0xc660 // [3,0,12,12,0] Interrupt Acknowledge Register 1.
	ICC_EOIR1_EL1   bits.SysReg = 0xc661 // [3,0,12,12,1] End Of Interrupt Register 1.
	ICC_HPPIR1_EL1  bits.SysReg = 0xc662 // [3,0,12,12,2] Highest Priority Pending Interrupt Register 1.
	ICC_BPR1_EL1    bits.SysReg = 0xc663 // [3,0,12,12,3] Binary Point Register 1.
	ICC_CTLR_EL1    bits.SysReg = 0xc664 // [3,0,12,12,4] Control Register.
	ICC_SRE_EL1     bits.SysReg = 0xc665 // [3,0,12,12,5] System Register Enable Register.
	ICC_IGRPEN0_EL1 bits.SysReg = 0xc666 // [3,0,12,12,6] Interrupt Group 0 Enable Register.
	ICC_IGRPEN1_EL1 bits.SysReg = 0xc667 // [3,0,12,12,7] Interrupt Group 1 Enable Register.
)

// Fields of the acknowledge, end and deactivate registers. IHI 0069, 12.2.
const (
	ICC_IAR0_EL1_INTID   bits.Field = 0xffffff << 0 // [23:0] The interrupt acknowledged.
	ICC_IAR1_EL1_INTID   bits.Field = 0xffffff << 0 // [23:0] The interrupt acknowledged.
	ICC_EOIR0_EL1_INTID  bits.Field = 0xffffff << 0 // [23:0] What the matching read of ICC_IAR0_EL1 gave.
	ICC_EOIR1_EL1_INTID  bits.Field = 0xffffff << 0 // [23:0] What the matching read of ICC_IAR1_EL1 gave.
	ICC_HPPIR0_EL1_INTID bits.Field = 0xffffff << 0 // [23:0] The interrupt pending.
	ICC_HPPIR1_EL1_INTID bits.Field = 0xffffff << 0 // [23:0] The interrupt pending.
	ICC_DIR_EL1_INTID    bits.Field = 0xffffff << 0 // [23:0] The interrupt to be deactivated.
)

// Fields of the priority registers. IHI 0069, 12.2 and 4.8.
const (
	ICC_PMR_EL1_Priority     bits.Field = 0xff << 0 // [7:0] Only interrupts of higher priority are signalled.
	ICC_RPR_EL1_Priority     bits.Field = 0xff << 0 // [7:0] Group priority of the most urgent active interrupt.
	ICC_BPR0_EL1_BinaryPoint bits.Field = 0x7 << 0  // [2:0] Lowest bit of the group priority, minus one.
	ICC_BPR1_EL1_BinaryPoint bits.Field = 0x7 << 0  // [2:0] Lowest bit of the group priority.
	ICC_IGRPEN0_EL1_Enable   bits.Field = 1 << 0    // [0] Group 0 interrupts are signalled.
	ICC_IGRPEN1_EL1_Enable   bits.Field = 1 << 0    // [0] Group 1 interrupts are signalled.
)

// Fields of the control registers. IHI 0069, 12.2.
const (
	ICC_CTLR_EL1_CBPR     bits.Field = 1 << 0    // [0] ICC_BPR0_EL1 serves both groups.
	ICC_CTLR_EL1_EOImode  bits.Field = 1 << 1    // [1] EOIR drops the priority only; DIR deactivates.
	ICC_CTLR_EL1_PMHE     bits.Field = 1 << 6    // [6] The priority mask is a hint for 1-of-N routing.
	ICC_CTLR_EL1_PRIbits  bits.Field = 0x7 << 8  // [10:8] Priority bits of the CPU interface, minus one.
	ICC_CTLR_EL1_IDbits   bits.Field = 0x7 << 11 // [13:11] Size of INTIDs; INTIDSize.
	ICC_CTLR_EL1_SEIS     bits.Field = 1 << 14   // [14] SErrors can be generated.
	ICC_CTLR_EL1_A3V      bits.Field = 1 << 15   // [15] SGIs can name Aff3 other than zero.
	ICC_CTLR_EL1_RSS      bits.Field = 1 << 18   // [18] SGIs can name Aff0 above 15.
	ICC_CTLR_EL1_ExtRange bits.Field = 1 << 19   // [19] Extended INTIDs are handled.

	ICC_SRE_EL1_SRE bits.Field = 1 << 0 // [0] The system register interface is in use.
	ICC_SRE_EL1_DFB bits.Field = 1 << 1 // [1] FIQ bypass is disabled.
	ICC_SRE_EL1_DIB bits.Field = 1 << 2 // [2] IRQ bypass is disabled.
)

// INTIDSize is the value of ICC_CTLR_EL1.IDbits.
type INTIDSize uint8

// Sizes of INTIDs.
const (
	INTIDs16 INTIDSize = 0 // 16 bits.
	INTIDs24 INTIDSize = 1 // 24 bits.
)

// SGI generation: which PEs, which INTID. IHI 0069, 12.2.
const (
	ICC_SGI1R_EL1_TargetList bits.Field = 0xffff << 0 // [15:0] Bit n: the PE with Aff0 = 16 RS + n.
	ICC_SGI1R_EL1_Aff1       bits.Field = 0xff << 16  // [23:16] Affinity level 1.
	ICC_SGI1R_EL1_INTID      bits.Field = 0xf << 24   // [27:24] The SGI.
	ICC_SGI1R_EL1_Aff2       bits.Field = 0xff << 32  // [39:32] Affinity level 2.
	ICC_SGI1R_EL1_IRM        bits.Field = 1 << 40     // [40] All PEs but this one; affinities and list are ignored.
	ICC_SGI1R_EL1_RS         bits.Field = 0xf << 44   // [47:44] Range selector for TargetList.
	ICC_SGI1R_EL1_Aff3       bits.Field = 0xff << 48  // [55:48] Affinity level 3.

	ICC_ASGI1R_EL1_TargetList bits.Field = 0xffff << 0 // [15:0] Bit n: the PE with Aff0 = 16 RS + n.
	ICC_ASGI1R_EL1_Aff1       bits.Field = 0xff << 16  // [23:16] Affinity level 1.
	ICC_ASGI1R_EL1_INTID      bits.Field = 0xf << 24   // [27:24] The SGI.
	ICC_ASGI1R_EL1_Aff2       bits.Field = 0xff << 32  // [39:32] Affinity level 2.
	ICC_ASGI1R_EL1_IRM        bits.Field = 1 << 40     // [40] All PEs but this one.
	ICC_ASGI1R_EL1_RS         bits.Field = 0xf << 44   // [47:44] Range selector for TargetList.
	ICC_ASGI1R_EL1_Aff3       bits.Field = 0xff << 48  // [55:48] Affinity level 3.

	ICC_SGI0R_EL1_TargetList bits.Field = 0xffff << 0 // [15:0] Bit n: the PE with Aff0 = 16 RS + n.
	ICC_SGI0R_EL1_Aff1       bits.Field = 0xff << 16  // [23:16] Affinity level 1.
	ICC_SGI0R_EL1_INTID      bits.Field = 0xf << 24   // [27:24] The SGI.
	ICC_SGI0R_EL1_Aff2       bits.Field = 0xff << 32  // [39:32] Affinity level 2.
	ICC_SGI0R_EL1_IRM        bits.Field = 1 << 40     // [40] All PEs but this one.
	ICC_SGI0R_EL1_RS         bits.Field = 0xf << 44   // [47:44] Range selector for TargetList.
	ICC_SGI0R_EL1_Aff3       bits.Field = 0xff << 48  // [55:48] Affinity level 3.
)
