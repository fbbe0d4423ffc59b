package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

// cidr is the CoreSight component identification, CIDR0 to CIDR3. IHI 0029.
var cidr = [4]uint8{0x0d, 0xf0, 0x05, 0xb1}

// identificationWords is the number of registers from PIDR4 to the end of page 0.
const identificationWords = 12

func (s *SMMU) readIdentification(i int) uint64 {
	switch {
	case i == 0:
		return uint64(s.spec.PIDR[4])
	case i < 4:
		return 0
	case i < 8:
		return uint64(s.spec.PIDR[i-4])
	default:
		return uint64(cidr[i-8])
	}
}

// frame is the register map, frameZero that of an SMMU whose page 1 is in page 0. IHI 0070, 6.2.
var (
	frame     = bus.MustFrame(uint64(smmu.FrameSize), registerTable(0))
	frameZero = bus.MustFrame(uint64(smmu.FrameSize), registerTable(uint64(smmu.PageSize)))
)

// registerTable is the rows of all registers; those of page 1 move down by back.
func registerTable(back uint64) bus.Registers[SMMU] {
	rows := bus.Registers[SMMU]{
		bus.Reg(smmu.SMMU_CR0, bus.W32, (*SMMU).readCR0, (*SMMU).writeCR0),
		bus.Reg(smmu.SMMU_CR0ACK, bus.W32, (*SMMU).readCR0Ack, bus.WI),
		bus.Reg(smmu.SMMU_CR1, bus.W32, (*SMMU).readCR1, (*SMMU).writeCR1),
		bus.Reg(smmu.SMMU_CR2, bus.W32, (*SMMU).readCR2, (*SMMU).writeCR2),
		bus.Reserved[SMMU](smmu.SMMU_STATUSR, 4, bus.W32),
		bus.Reg(smmu.SMMU_GBPA, bus.W32, (*SMMU).readGBPA, (*SMMU).writeGBPA),
		bus.Reserved[SMMU](smmu.SMMU_AGBPA, 4, bus.W32),
		bus.Reg(smmu.SMMU_IRQ_CTRL, bus.W32, (*SMMU).readIRQCtrl, (*SMMU).writeIRQCtrl),
		bus.Reg(smmu.SMMU_IRQ_CTRLACK, bus.W32, (*SMMU).readIRQAck, bus.WI),
		bus.Reg(smmu.SMMU_GERROR, bus.W32, (*SMMU).readGError, bus.WI),
		bus.Reg(smmu.SMMU_GERRORN, bus.W32, (*SMMU).readGErrorN, (*SMMU).writeGErrorN),
		bus.Halves(smmu.SMMU_STRTAB_BASE, (*SMMU).readStrtab, (*SMMU).writeStrtab),
		bus.Reg(smmu.SMMU_STRTAB_BASE_CFG, bus.W32, (*SMMU).readStrtabCfg, (*SMMU).writeStrtabCfg),
		bus.Halves(smmu.SMMU_CMDQ_BASE, (*SMMU).readCmdqBase, (*SMMU).writeCmdqBase),
		bus.Reg(smmu.SMMU_CMDQ_PROD, bus.W32, (*SMMU).readCmdqProd, (*SMMU).writeCmdqProd),
		bus.Reg(smmu.SMMU_CMDQ_CONS, bus.W32, (*SMMU).readCmdqCons, (*SMMU).writeCmdqCons),
		bus.Words(smmu.SMMU_PIDR4, identificationWords, (*SMMU).readIdentification),
	}
	for i, off := range [...]uint64{
		smmu.SMMU_IDR0, smmu.SMMU_IDR1, smmu.SMMU_IDR2, smmu.SMMU_IDR3, smmu.SMMU_IDR4, smmu.SMMU_IDR5, smmu.SMMU_IDR6,
	} {
		rows = append(rows, bus.Reg(off, bus.W32, func(s *SMMU) uint64 { return s.idr[i] }, bus.WI))
	}
	rows = append(rows,
		bus.Reg(smmu.SMMU_IIDR, bus.W32, func(s *SMMU) uint64 { return uint64(s.spec.IIDR) }, bus.WI),
		bus.Reg(smmu.SMMU_AIDR, bus.W32, func(s *SMMU) uint64 { return uint64(s.spec.ArchMinor) }, bus.WI),
	)
	rows = append(rows, outputRows(eventOutput, back)...)
	rows = append(rows, outputRows(priOutput, back)...)
	return append(rows, messageRows()...)
}

// outputRows are the registers of the Event or the PRI queue. Without PRI its registers are RES0.
func outputRows(kind outputKind, back uint64) bus.Registers[SMMU] {
	k := &outputs[kind]
	there := func(s *SMMU) bool { return kind == eventOutput || s.spec.PRI }
	disabled := func(s *SMMU) bool { return !k.enable.Is(s.r.cr0 | s.r.cr0ack) }
	reg := func(s *SMMU) *queueRegisters { return s.output(kind).registers() }
	return bus.Registers[SMMU]{
		bus.Halves(k.base, func(s *SMMU) uint64 { return reg(s).base }, func(s *SMMU, v, mask uint64) {
			if there(s) && s.may(disabled(s), k.name+"_BASE") {
				q := reg(s)
				q.base = s.queueBase(q.base&^mask|v&mask, int(k.log2(s)))
			}
		}),
		bus.Reg(k.prod-back, bus.W32, func(s *SMMU) uint64 { return reg(s).prod }, func(s *SMMU, v uint64) {
			if there(s) && s.may(disabled(s), k.name+"_PROD") {
				reg(s).prod = v & uint64(smmu.SMMU_EVENTQ_PROD_WR|smmu.SMMU_EVENTQ_PROD_OVFLG)
			}
		}),
		bus.Reg(k.cons-back, bus.W32, func(s *SMMU) uint64 { return reg(s).cons }, func(s *SMMU, v uint64) {
			if there(s) {
				reg(s).cons = v & uint64(smmu.SMMU_EVENTQ_CONS_RD|smmu.SMMU_EVENTQ_CONS_OVACKFLG)
				s.output(kind).consumed()
			}
		}),
	}
}

// messageRows are the three groups of IRQ_CFG registers. They are RES0 without MSIs, and read-only while their
// interrupt is on.
func messageRows() (rows bus.Registers[SMMU]) {
	for _, m := range [...]struct {
		off    uint64
		enable bits.Field
		attr   uint64
		at     func(s *SMMU) *message
		exists func(s *SMMU) bool
	}{
		{smmu.SMMU_GERROR_IRQ_CFG0, smmu.SMMU_IRQ_CTRL_GERROR_IRQEN, 0,
			func(s *SMMU) *message { return &s.r.globalIRQ }, func(s *SMMU) bool { return s.spec.MSI }},
		{smmu.SMMU_EVENTQ_IRQ_CFG0, smmu.SMMU_IRQ_CTRL_EVENTQ_IRQEN, 0,
			func(s *SMMU) *message { return &s.r.eventIRQ }, func(s *SMMU) bool { return s.spec.MSI }},
		{smmu.SMMU_PRIQ_IRQ_CFG0, smmu.SMMU_IRQ_CTRL_PRIQ_IRQEN, uint64(smmu.SMMU_PRIQ_IRQ_CFG2_LO),
			func(s *SMMU) *message { return &s.r.priIRQ }, func(s *SMMU) bool { return s.spec.MSI && s.spec.PRI }},
	} {
		may := func(s *SMMU) bool {
			return m.exists(s) && s.may(!m.enable.Is(s.r.irqCtrl|s.r.irqAck), "SMMU_IRQ_CFG")
		}
		attr := uint64(smmu.SMMU_GERROR_IRQ_CFG2_MemAttr|smmu.SMMU_GERROR_IRQ_CFG2_SH) | m.attr
		rows = append(rows,
			bus.Halves(m.off, func(s *SMMU) uint64 { return m.at(s).addr }, func(s *SMMU, v, mask uint64) {
				if at := m.at(s); may(s) {
					at.addr = (at.addr&^mask | v&mask) & uint64(smmu.SMMU_GERROR_IRQ_CFG0_ADDR)
				}
			}),
			bus.Reg(m.off+8, bus.W32, func(s *SMMU) uint64 { return m.at(s).data }, func(s *SMMU, v uint64) {
				if may(s) {
					m.at(s).data = v
				}
			}),
			bus.Reg(m.off+12, bus.W32, func(s *SMMU) uint64 { return m.at(s).attr }, func(s *SMMU, v uint64) {
				if may(s) {
					m.at(s).attr = v & attr
				}
			}),
		)
	}
	return rows
}

// may is whether a register can be written now. One that cannot keeps its value, and the write is remarked.
func (s *SMMU) may(now bool, register string) bool {
	if !now {
		s.remark(register, "written while it is in use", false)
	}
	return now
}

// ReadReg is bus.Device.
func (s *SMMU) ReadReg(off uint64, w bus.Width) (uint64, bool) { return s.frame().Read(s, off, w) }

// WriteReg is bus.Device.
func (s *SMMU) WriteReg(off uint64, w bus.Width, v uint64) bool { return s.frame().Write(s, off, w, v) }

func (s *SMMU) frame() *bus.Frame[SMMU] {
	if s.spec.Errata.PageZero {
		return frameZero
	}
	return frame
}
