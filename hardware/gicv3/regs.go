package gicv3

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

// The number of INTIDs that a register array covers.
const (
	bitINTIDs      = 1024 // of the distributor, with one or two bits an INTID
	priorityINTIDs = 1020 // of the distributor
	privateINTIDs  = 32   // of a redistributor
)

// cidr is the CoreSight component identification of both frames, CIDR0 to CIDR3. IHI 0029.
var cidr = [4]uint8{0x0d, 0xf0, 0x05, 0xb1}

// identification is the i-th word of the identification registers, which begin with PIDR4: PIDR4-7, PIDR0-3, CIDR0-3.
func identification(pidr *[5]uint8, i int) uint64 {
	switch {
	case i == 0:
		return uint64(pidr[4])
	case i < 4:
		return 0
	case i < 8:
		return uint64(pidr[i-4])
	default:
		return uint64(cidr[i-8])
	}
}

// identificationWords is the number of registers from PIDR4 to the end of the frame.
const identificationWords = 12

// distributorFrame is the distributor's register map. IHI 0069, 12.8. Secure message registers and what serves GICv2
// legacy are RES0 in both views.
var distributorFrame = bus.MustFrame(uint64(gic.FrameSize), bus.Registers[Distributor]{
	bus.Reg(gic.GICD_CTLR, bus.W32, (*Distributor).readCtlr, (*Distributor).writeCtlr),
	bus.Reg(gic.GICD_TYPER, bus.W32, (*Distributor).readTyper, bus.WI),
	bus.Reg(gic.GICD_IIDR, bus.W32, (*Distributor).readIidr, bus.WI),
	bus.Reserved[Distributor](gic.GICD_TYPER2, 8, bus.W32), // and STATUSR
	bus.Reg(gic.GICD_SETSPI_NSR, bus.W32, bus.RAZ, (*Distributor).writeSetSPI),
	bus.Reg(gic.GICD_CLRSPI_NSR, bus.W32, bus.RAZ, (*Distributor).writeClearSPI),
	bus.Reserved[Distributor](gic.GICD_SETSPI_SR, 4, bus.W32),
	bus.Reserved[Distributor](gic.GICD_CLRSPI_SR, 4, bus.W32),
	bus.PerIRQ(gic.GICD_IGROUPR, 1, bitINTIDs, bus.W32, readGroup[*Distributor], writeGroup[*Distributor]),
	bus.PerIRQ(gic.GICD_ISENABLER, 1, bitINTIDs, bus.W32, readEnable[*Distributor], setEnable[*Distributor]),
	bus.PerIRQ(gic.GICD_ICENABLER, 1, bitINTIDs, bus.W32, readEnable[*Distributor], clearEnable[*Distributor]),
	bus.PerIRQ(gic.GICD_ISPENDR, 1, bitINTIDs, bus.W32, readPending[*Distributor], setPending[*Distributor]),
	bus.PerIRQ(gic.GICD_ICPENDR, 1, bitINTIDs, bus.W32, readPending[*Distributor], clearPending[*Distributor]),
	bus.PerIRQ(gic.GICD_ISACTIVER, 1, bitINTIDs, bus.W32, readActive[*Distributor], setActive[*Distributor]),
	bus.PerIRQ(gic.GICD_ICACTIVER, 1, bitINTIDs, bus.W32, readActive[*Distributor], clearActive[*Distributor]),
	bus.PerIRQ(gic.GICD_IPRIORITYR, 8, priorityINTIDs, bus.W8|bus.W32,
		readPriority[*Distributor], writePriority[*Distributor]),
	bus.Reserved[Distributor](gic.GICD_ITARGETSR, priorityINTIDs, bus.W8|bus.W32),
	bus.PerIRQ(gic.GICD_ICFGR, 2, bitINTIDs, bus.W32, readConfig[*Distributor], writeConfig[*Distributor]),
	bus.Reserved[Distributor](gic.GICD_IGRPMODR, bitINTIDs/8, bus.W32),
	bus.Reserved[Distributor](gic.GICD_NSACR, bitINTIDs/4, bus.W32),
	bus.Reserved[Distributor](gic.GICD_SGIR, 4, bus.W32),
	bus.Reserved[Distributor](gic.GICD_CPENDSGIR, 16, bus.W8|bus.W32),
	bus.Reserved[Distributor](gic.GICD_SPENDSGIR, 16, bus.W8|bus.W32),
	bus.Reserved[Distributor](gic.GICD_INMIR, bitINTIDs/8, bus.W32),
	bus.PerIRQ(gic.GICD_IROUTER, 64, priorityINTIDs, bus.W32|bus.W64,
		(*Distributor).readRouter, (*Distributor).writeRouter),
	bus.Words(gic.GICD_PIDR4, identificationWords, (*Distributor).readIdentification),
})

// redistributorFrame is the register map of RD_base and SGI_base. IHI 0069, 12.10.
var redistributorFrame = bus.MustFrame(uint64(gic.RedistributorStride), bus.Registers[Redistributor]{
	bus.Reg(gic.GICR_CTLR, bus.W32, (*Redistributor).readCtlr, (*Redistributor).writeCtlr),
	bus.Reg(gic.GICR_IIDR, bus.W32, (*Redistributor).readIidr, bus.WI),
	bus.Reg(gic.GICR_TYPER, bus.W32|bus.W64, (*Redistributor).readTyper, bus.WI),
	bus.Reserved[Redistributor](gic.GICR_STATUSR, 4, bus.W32),
	bus.Reg(gic.GICR_WAKER, bus.W32, (*Redistributor).readWaker, (*Redistributor).writeWaker),
	bus.Reg(gic.GICR_SETLPIR, bus.W32|bus.W64, bus.RAZ, (*Redistributor).writeSetLPI),
	bus.Reg(gic.GICR_CLRLPIR, bus.W32|bus.W64, bus.RAZ, (*Redistributor).writeClearLPI),
	bus.Halves(gic.GICR_PROPBASER, (*Redistributor).readPropbaser, (*Redistributor).writePropbaser),
	bus.Halves(gic.GICR_PENDBASER, (*Redistributor).readPendbaser, (*Redistributor).writePendbaser),
	bus.Reg(gic.GICR_INVLPIR, bus.W32|bus.W64, bus.RAZ, (*Redistributor).writeInvalidateLPI),
	bus.Reg(gic.GICR_INVALLR, bus.W32|bus.W64, bus.RAZ, (*Redistributor).writeInvalidateAll),
	bus.Reg(gic.GICR_SYNCR, bus.W32, (*Redistributor).readSync, bus.WI),
	bus.Words(gic.GICR_PIDR4, identificationWords, (*Redistributor).readIdentification),

	bus.PerIRQ(gic.GICR_IGROUPR0, 1, privateINTIDs, bus.W32, readGroup[*Redistributor], writeGroup[*Redistributor]),
	bus.PerIRQ(gic.GICR_ISENABLER0, 1, privateINTIDs, bus.W32, readEnable[*Redistributor], setEnable[*Redistributor]),
	bus.PerIRQ(gic.GICR_ICENABLER0, 1, privateINTIDs, bus.W32, readEnable[*Redistributor], clearEnable[*Redistributor]),
	bus.PerIRQ(gic.GICR_ISPENDR0, 1, privateINTIDs, bus.W32, readPending[*Redistributor], setPending[*Redistributor]),
	bus.PerIRQ(gic.GICR_ICPENDR0, 1, privateINTIDs, bus.W32, readPending[*Redistributor], clearPending[*Redistributor]),
	bus.PerIRQ(gic.GICR_ISACTIVER0, 1, privateINTIDs, bus.W32, readActive[*Redistributor], setActive[*Redistributor]),
	bus.PerIRQ(gic.GICR_ICACTIVER0, 1, privateINTIDs, bus.W32, readActive[*Redistributor], clearActive[*Redistributor]),
	bus.PerIRQ(gic.GICR_IPRIORITYR, 8, privateINTIDs, bus.W8|bus.W32,
		readPriority[*Redistributor], writePriority[*Redistributor]),
	bus.PerIRQ(gic.GICR_ICFGR0, 2, privateINTIDs, bus.W32, readConfig[*Redistributor], writeConfig[*Redistributor]),
	bus.Reserved[Redistributor](gic.GICR_IGRPMODR0, 4, bus.W32),
	bus.Reserved[Redistributor](gic.GICR_NSACR, 4, bus.W32),
	bus.Reserved[Redistributor](gic.GICR_INMIR0, 4, bus.W32),
})

// interfaceRegs is the CPU interface. IHI 0069, 12.2. In the Non-secure view the Group 0 registers trap to EL3.
var interfaceRegs = bus.MustSysFrame(bus.SystemRegisters[CPUInterface]{
	bus.Sys(gic.ICC_PMR_EL1, (*CPUInterface).readMask, (*CPUInterface).writeMask),
	bus.Sys(gic.ICC_BPR0_EL1, (*CPUInterface).readBPR0, (*CPUInterface).writeBPR0).If(hasGroup0),
	bus.Sys(gic.ICC_BPR1_EL1, (*CPUInterface).readBPR1, (*CPUInterface).writeBPR1),
	bus.Sys(gic.ICC_CTLR_EL1, (*CPUInterface).readCtlr, (*CPUInterface).writeCtlr),
	bus.Sys(gic.ICC_SRE_EL1, (*CPUInterface).readSRE, bus.WI),
	bus.Sys(gic.ICC_IGRPEN0_EL1, (*CPUInterface).readEnable0, (*CPUInterface).writeEnable0).If(hasGroup0),
	bus.Sys(gic.ICC_IGRPEN1_EL1, (*CPUInterface).readEnable1, (*CPUInterface).writeEnable1),
	bus.Sys(gic.ICC_RPR_EL1, (*CPUInterface).readRunning, nil),
	bus.Sys(gic.ICC_HPPIR0_EL1, (*CPUInterface).readHighest0, nil).If(hasGroup0),
	bus.Sys(gic.ICC_HPPIR1_EL1, (*CPUInterface).readHighest1, nil),
	bus.Sys(gic.ICC_IAR0_EL1, (*CPUInterface).acknowledge0, nil).If(hasGroup0),
	bus.Sys(gic.ICC_IAR1_EL1, (*CPUInterface).acknowledge1, nil),
	bus.Sys(gic.ICC_EOIR0_EL1, nil, (*CPUInterface).end0).If(hasGroup0),
	bus.Sys(gic.ICC_EOIR1_EL1, nil, (*CPUInterface).end1),
	bus.Sys(gic.ICC_DIR_EL1, nil, (*CPUInterface).writeDIR),
	bus.Sys(gic.ICC_SGI0R_EL1, nil, (*CPUInterface).sendGroup0),
	bus.Sys(gic.ICC_SGI1R_EL1, nil, (*CPUInterface).sendGroup1),
	bus.Sys(gic.ICC_ASGI1R_EL1, nil, (*CPUInterface).sendOther),
	activePriority(gic.ICC_AP0R0_EL1, 0, false), activePriority(gic.ICC_AP0R1_EL1, 1, false),
	activePriority(gic.ICC_AP0R2_EL1, 2, false), activePriority(gic.ICC_AP0R3_EL1, 3, false),
	activePriority(gic.ICC_AP1R0_EL1, 0, true), activePriority(gic.ICC_AP1R1_EL1, 1, true),
	activePriority(gic.ICC_AP1R2_EL1, 2, true), activePriority(gic.ICC_AP1R3_EL1, 3, true),
})

func hasGroup0(c *CPUInterface) bool { return c.r.g.spec.DS }

// activePriority is the row of one of the AP0Rn and AP1Rn registers; there are as many as there are priority groups.
func activePriority(reg bits.SysReg, n int, group1 bool) bus.SysRow[CPUInterface] {
	read := func(c *CPUInterface) uint64 { return uint64(c.active(group1)[n]) }
	write := func(c *CPUInterface, v uint64) { c.setActive(group1, n, uint32(v)) }
	return bus.Sys(reg, read, write).If(func(c *CPUInterface) bool {
		return n < c.r.g.spec.activeWords() && (group1 || hasGroup0(c))
	})
}
