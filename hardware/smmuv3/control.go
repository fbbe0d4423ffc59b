package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// control makes writes of CR0, IRQ_CTRL and GBPA take effect some time after them.
type control struct {
	s       *SMMU
	channel sim.Channel
	left    int  // acknowledgements of CR0 that are under way
	stops   bool // CMDQEN goes off as soon as the consumer stands still
}

// What takes effect.
const (
	ackCR0 = iota
	ackIRQ
	ackGBPA
)

func (c *control) init(s *SMMU) {
	c.s = s
	s.eng.Register(&c.channel, s.master.Name+" registers")
}

func (c *control) reset() { c.left, c.stops = 0, false }

// start begins the time until a write takes effect.
func (c *control) start(what uint32) {
	c.s.eng.Post(&c.channel, c.s.after(RegisterAck), c, c.s.tag(what))
}

// Fire makes a write take effect.
func (c *control) Fire(_ sim.Time, arg uint64) {
	s := c.s
	if s.void(arg) {
		return
	}
	switch uint32(arg) {
	case ackCR0:
		c.left--
		c.acknowledge()
	case ackIRQ:
		s.r.irqAck = s.r.irqCtrl
	case ackGBPA:
		s.r.gbpa &^= uint64(smmu.SMMU_GBPA_UPDATE)
	}
}

// acknowledge makes CR0ACK what CR0 is, once all writes of CR0 have taken their time. CMDQEN goes off when no command
// is in progress; a queue that writes goes off when it has written. IHI 0070, 6.3.9.
func (c *control) acknowledge() {
	s := c.s
	if c.left > 0 {
		return
	}
	if !smmu.SMMU_CR0_CMDQEN.Is(s.r.cr0) && s.cmdq.busy() || s.events.leaving() || s.pri.leaving() {
		c.stops = true
		return
	}
	c.stops = false
	before := s.r.cr0ack
	s.r.cr0ack = s.r.cr0
	if s.eng.Tracing {
		s.trace("CR0ACK 0x%x", s.r.cr0ack)
	}
	if smmu.SMMU_CR0_SMMUEN.Is(before) && !smmu.SMMU_CR0_SMMUEN.Is(s.r.cr0ack) {
		s.flight.terminateAll()
	}
	s.cmdq.enable(smmu.SMMU_CR0_CMDQEN.Is(s.r.cr0ack))
	s.events.consumed()
}

// settled is called when something has come to rest that the acknowledgement of CR0 may wait for.
func (c *control) settled() {
	if c.stops {
		c.acknowledge()
	}
}

// on reports whether a bit of CR0 has taken effect.
func (s *SMMU) on(f bits.Field) bool { return f.Is(s.r.cr0ack) }

func (s *SMMU) readCR0() uint64    { return s.r.cr0 }
func (s *SMMU) readCR0Ack() uint64 { return s.r.cr0ack }
func (s *SMMU) readCR1() uint64    { return s.r.cr1 }
func (s *SMMU) readCR2() uint64    { return s.r.cr2 }

// writeCR0: bits of what is not implemented are RES0.
func (s *SMMU) writeCR0(v uint64) {
	exist := smmu.SMMU_CR0_SMMUEN | smmu.SMMU_CR0_EVENTQEN | smmu.SMMU_CR0_CMDQEN
	if s.spec.PRI {
		exist |= smmu.SMMU_CR0_PRIQEN
	}
	if s.spec.ATS {
		exist |= smmu.SMMU_CR0_ATSCHK
	}
	if s.spec.VMW {
		exist |= smmu.SMMU_CR0_VMW
	}
	if v &= uint64(exist); (v^s.r.cr0)&(s.r.cr0^s.r.cr0ack) != 0 {
		s.remark("SMMU_CR0", "a bit was changed back before SMMU_CR0ACK had shown it", true)
	}
	s.r.cr0 = v
	s.control.left++
	s.control.start(ackCR0)
}

// Fields of CR1 that belong to the stream table, and to queues.
const (
	cr1Tables = smmu.SMMU_CR1_TABLE_IC | smmu.SMMU_CR1_TABLE_OC | smmu.SMMU_CR1_TABLE_SH
	cr1Queues = smmu.SMMU_CR1_QUEUE_IC | smmu.SMMU_CR1_QUEUE_OC | smmu.SMMU_CR1_QUEUE_SH
)

// writeCR1: what is in use stays. IHI 0070, 6.3.11.
func (s *SMMU) writeCR1(v uint64) {
	on := s.r.cr0 | s.r.cr0ack
	change := cr1Tables | cr1Queues
	if smmu.SMMU_CR0_SMMUEN.Is(on) {
		change &^= cr1Tables
	}
	if (smmu.SMMU_CR0_CMDQEN | smmu.SMMU_CR0_EVENTQEN | smmu.SMMU_CR0_PRIQEN).Is(on) {
		change &^= cr1Queues
	}
	if v &= uint64(cr1Tables | cr1Queues); (v^s.r.cr1)&^uint64(change) != 0 {
		s.may(false, "SMMU_CR1")
	}
	s.r.cr1 = s.r.cr1&^uint64(change) | v&uint64(change)
}

// writeCR2. IHI 0070, 6.3.12.
func (s *SMMU) writeCR2(v uint64) {
	exist := smmu.SMMU_CR2_RECINVSID
	if s.spec.HYP {
		exist |= smmu.SMMU_CR2_E2H
	}
	if s.spec.BTM {
		exist |= smmu.SMMU_CR2_PTM
	}
	if s.spec.ATS {
		exist |= smmu.SMMU_CR2_REC_CFG_ATS
	}
	if s.may(!smmu.SMMU_CR0_SMMUEN.Is(s.r.cr0|s.r.cr0ack), "SMMU_CR2") {
		s.r.cr2 = v & uint64(exist)
	}
}

func (s *SMMU) readGBPA() uint64 { return s.r.gbpa }

// writeGBPA takes only a write with UPDATE, and none while one is under way. IHI 0070, 6.3.14.
func (s *SMMU) writeGBPA(v uint64) {
	const exist = smmu.SMMU_GBPA_MemAttr | smmu.SMMU_GBPA_MTCFG | smmu.SMMU_GBPA_ALLOCCFG | smmu.SMMU_GBPA_SHCFG |
		smmu.SMMU_GBPA_PRIVCFG | smmu.SMMU_GBPA_INSTCFG | smmu.SMMU_GBPA_ABORT | smmu.SMMU_GBPA_UPDATE
	switch {
	case smmu.SMMU_GBPA_UPDATE.Is(s.r.gbpa):
		s.remark("SMMU_GBPA", "written while UPDATE is 1", true)
	case !smmu.SMMU_GBPA_UPDATE.Is(v):
		s.remark("SMMU_GBPA", "written without UPDATE", false)
	default:
		s.r.gbpa = v & uint64(exist)
		s.control.start(ackGBPA)
	}
}

func (s *SMMU) readIRQCtrl() uint64 { return s.r.irqCtrl }
func (s *SMMU) readIRQAck() uint64  { return s.r.irqAck }

func (s *SMMU) writeIRQCtrl(v uint64) {
	exist := smmu.SMMU_IRQ_CTRL_GERROR_IRQEN | smmu.SMMU_IRQ_CTRL_EVENTQ_IRQEN
	if s.spec.PRI {
		exist |= smmu.SMMU_IRQ_CTRL_PRIQ_IRQEN
	}
	s.r.irqCtrl = v & uint64(exist)
	s.control.start(ackIRQ)
}

func (s *SMMU) readStrtab() uint64    { return s.r.strtab }
func (s *SMMU) readStrtabCfg() uint64 { return s.r.strtabCfg }

func (s *SMMU) writeStrtab(v, mask uint64) {
	if s.may(!smmu.SMMU_CR0_SMMUEN.Is(s.r.cr0|s.r.cr0ack), "SMMU_STRTAB_BASE") {
		s.r.strtab = (s.r.strtab&^mask | v&mask) & uint64(smmu.SMMU_STRTAB_BASE_ADDR|smmu.SMMU_STRTAB_BASE_RA)
	}
}

func (s *SMMU) writeStrtabCfg(v uint64) {
	exist := smmu.SMMU_STRTAB_BASE_CFG_LOG2SIZE
	if s.spec.TwoLevelStreams {
		exist |= smmu.SMMU_STRTAB_BASE_CFG_SPLIT | smmu.SMMU_STRTAB_BASE_CFG_FMT
	}
	if s.may(!smmu.SMMU_CR0_SMMUEN.Is(s.r.cr0|s.r.cr0ack), "SMMU_STRTAB_BASE_CFG") {
		s.r.strtabCfg = v & uint64(exist)
	}
}

// queueBase is what a base register keeps: a size beyond what IDR1 shows counts as that.
func (s *SMMU) queueBase(v uint64, limit int) uint64 {
	v &= uint64(smmu.SMMU_CMDQ_BASE_LOG2SIZE | smmu.SMMU_CMDQ_BASE_ADDR | smmu.SMMU_CMDQ_BASE_RA)
	if smmu.SMMU_CMDQ_BASE_LOG2SIZE.Get(v) > uint64(limit) {
		s.remark("SMMU_CMDQ_BASE", "LOG2SIZE is larger than SMMU_IDR1 allows", false)
		v = smmu.SMMU_CMDQ_BASE_LOG2SIZE.Put(v, uint64(limit))
	}
	return v
}

// ring is a queue as its base register has it. IHI 0070, 6.3.26: address bits below its size are ignored.
func newRing(base uint64, shift uint8) ring {
	log2 := uint8(smmu.SMMU_CMDQ_BASE_LOG2SIZE.Get(base))
	addr := align(base&uint64(smmu.SMMU_CMDQ_BASE_ADDR), max(32, uint64(1)<<(log2+shift)))
	return ring{base: addr, log2: log2, shift: shift}
}
