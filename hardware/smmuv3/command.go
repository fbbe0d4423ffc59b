package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// legal is the error that a command is. A command of a feature that is not there is as unknown as one without a
// meaning. IHI 0070, 4.1 and 7.1.
func (s *SMMU) legal(c command) smmu.CommandError {
	if op := c.opcode(); !s.known(op) || s.misused(c, op) {
		return smmu.CERROR_ILL
	}
	return smmu.CERROR_NONE
}

// known reports whether this SMMU has a command.
func (s *SMMU) known(op smmu.Opcode) bool {
	switch op {
	case smmu.CMD_PREFETCH_CONFIG:
		return !s.spec.Errata.PrefetchIllegal
	case smmu.CMD_PREFETCH_ADDR, smmu.CMD_CFGI_STE, smmu.CMD_CFGI_STE_RANGE, smmu.CMD_TLBI_NSNH_ALL, smmu.CMD_SYNC:
		return true
	case smmu.CMD_CFGI_CD, smmu.CMD_CFGI_CD_ALL, smmu.CMD_TLBI_NH_ALL, smmu.CMD_TLBI_NH_ASID, smmu.CMD_TLBI_NH_VA,
		smmu.CMD_TLBI_NH_VAA:
		return s.spec.Stage1
	case smmu.CMD_TLBI_EL2_ALL, smmu.CMD_TLBI_EL2_VA, smmu.CMD_TLBI_EL2_VAA, smmu.CMD_TLBI_EL2_ASID:
		return s.spec.HYP
	case smmu.CMD_TLBI_S12_VMALL, smmu.CMD_TLBI_S2_IPA:
		return s.spec.Stage2
	case smmu.CMD_ATC_INV:
		return s.spec.ATS
	case smmu.CMD_PRI_RESP:
		return s.spec.PRI
	case smmu.CMD_RESUME, smmu.CMD_STALL_TERM:
		return s.spec.StallModel != smmu.TerminateOnly
	}
	return false
}

// misused: a Secure stream in the Non-secure queue, the reserved signal of CMD_SYNC, a reserved answer to page
// requests.
func (s *SMMU) misused(c command, op smmu.Opcode) bool {
	switch op {
	case smmu.CMD_SYNC:
		return smmu.SyncSignal(smmu.CMD_SYNC0_CS.Get(c[0])) == smmu.SIG_RESERVED
	case smmu.CMD_PRI_RESP:
		return smmu.PRIResponse(smmu.CMD_PRI_RESP1_Resp.Get(c[1])) > smmu.PRISuccess || smmu.CMD0_SSec.Is(c[0])
	}
	return !tlbi(op) && smmu.CMD0_SSec.Is(c[0])
}

// tlbi reports whether an opcode is that of a TLB invalidation, and cfgi of one of configuration.
func tlbi(op smmu.Opcode) bool { return op >= smmu.CMD_TLBI_NH_ALL && op <= smmu.CMD_TLBI_NSNH_ALL }
func cfgi(op smmu.Opcode) bool { return op >= smmu.CMD_CFGI_STE && op <= smmu.CMD_CFGI_CD_ALL }

// execute is a legal command's consumption: what it asks for is under way. Prefetches have no effect that is seen.
func (s *SMMU) execute(c command) {
	stream := uint32(smmu.CMD0_StreamID.Get(c[0]))
	switch op := c.opcode(); {
	case tlbi(op), cfgi(op):
		s.pending.add(c)
	case op == smmu.CMD_ATC_INV:
		s.atc.add(c)
	case op == smmu.CMD_PRI_RESP:
		if e := s.endpoints[stream]; e != nil {
			e.PageResponse(uint16(smmu.CMD_PRI_RESP1_PRGIndex.Get(c[1])), uint8(smmu.CMD_PRI_RESP1_Resp.Get(c[1])))
		}
	case op == smmu.CMD_RESUME:
		s.flight.resume(stream, uint16(smmu.CMD_RESUME1_STAG.Get(c[1])), smmu.CMD_RESUME0_Ac.Is(c[0]),
			smmu.CMD_RESUME0_Ab.Is(c[0]))
	case op == smmu.CMD_STALL_TERM:
		s.flight.terminateStream(stream)
	}
}

// drained reports whether all is complete that a CMD_SYNC waits for beside records: invalidations, the transactions
// that use what they name, answers of ATCs, and the MSIs of earlier CMD_SYNCs.
func (s *SMMU) drained() bool {
	m := &s.spec.Mutants
	return (s.pending.waiting.len() == 0 || m.SyncIgnoresInvalidations) &&
		(s.flight.named == 0 || m.SyncIgnoresTransactions) && s.atc.waiting == 0 && s.msi.syncs == 0
}

// signal tells that a CMD_SYNC is complete. IHI 0070, 4.7.3: the whole address is looked at before it is truncated.
func (s *SMMU) signal(c command) {
	switch smmu.SyncSignal(smmu.CMD_SYNC0_CS.Get(c[0])) {
	case smmu.SIG_IRQ:
		if addr := c[1] & uint64(smmu.CMD_SYNC1_MSIADDR); s.spec.MSI && addr != 0 {
			w := write{
				addr: addr & (1<<s.spec.OAS.Bits() - 1), data: smmu.CMD_SYNC0_MSIDATA.Get(c[0]), size: 4, sync: true,
				attr:  fourBits(smmu.CMD_SYNC0_MSIATTR.Get(c[0]), smmu.CMD_SYNC0_MSH.Get(c[0])),
				abort: smmu.SMMU_GERROR_MSI_CMDQ_ABT_ERR,
			}
			if s.spec.Errata.WideMSI {
				w.addr, w.size = align(w.addr, 8), 8
			}
			s.msi.send(w)
		}
		s.wires.pulse(s.lines.Sync)
	case smmu.SIG_SEV:
		s.sendEvent(s.after(EventToPEs))
	}
}

// sendEvent is an event at all PEs, if this SMMU can send any.
func (s *SMMU) sendEvent(at sim.Time) {
	if s.spec.SEV && !s.spec.Errata.LostEvents && s.pes != nil {
		s.eng.Post(&s.wires.events, at, peEvent{s}, s.tag(0))
	}
}

// peEvent arrives at the PEs.
type peEvent struct{ s *SMMU }

// Fire is sim.Handler.
func (e peEvent) Fire(now sim.Time, arg uint64) {
	if !e.s.void(arg) {
		e.s.pes.SetEvent(now)
	}
}

// invalidationsATC are the CMD_ATC_INVs that have not been answered.
type invalidationsATC struct {
	s       *SMMU
	channel sim.Channel
	timeout sim.Channel
	waiting int
	failed  bool // one was not answered, and no CMD_SYNC has told so
}

func (a *invalidationsATC) init(s *SMMU) {
	a.s = s
	s.eng.Register(&a.channel, s.master.Name+" ATC answers")
	s.eng.Register(&a.timeout, s.master.Name+" ATC timeouts")
}

func (a *invalidationsATC) reset() { a.waiting, a.failed = 0, false }

// add asks a device to invalidate. One that has no ATC is as one that answers at once.
func (a *invalidationsATC) add(c command) {
	s := a.s
	e := s.endpoints[uint32(smmu.CMD0_StreamID.Get(c[0]))]
	if e == nil || !s.on(smmu.SMMU_CR0_SMMUEN) {
		return
	}
	const page = 12
	a.waiting++
	log2 := uint8(min(page+smmu.CMD_ATC_INV1_Size.Get(c[1]), 64))
	answered := e.InvalidateATC(uint32(smmu.CMD0_SubstreamID.Get(c[0])),
		smmu.CMD_ATC_INV0_Global.Is(c[0]) || !smmu.CMD0_SSV.Is(c[0]), c[1]&uint64(smmu.CMD_ATC_INV1_Address), log2)
	if answered {
		s.eng.Post(&a.channel, s.after(ATCInvalidate), a, s.tag(1))
	} else {
		s.eng.Post(&a.timeout, s.after(ATCTimeout), a, s.tag(0))
	}
}

// Fire is an answer, or the end of the time for one.
func (a *invalidationsATC) Fire(_ sim.Time, arg uint64) {
	if a.s.void(arg) {
		return
	}
	a.waiting--
	a.failed = a.failed || uint32(arg) == 0
	a.s.cmdq.progress()
}
