package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// An event is what an event record says, before it is one. IHI 0070, 7.3.
type event struct {
	id           smmu.EventID // 0 for none
	stream       uint32
	substream    uint32
	hasSubstream bool
	addr         uint64
	noAddr       bool // a configuration error, which tells nothing of the transaction
	read         bool
	privileged   bool
	instruction  bool
	stage2       bool
	class        smmu.EventClass
	fetch        uint64 // what could not be read, or the IPA
	stalls       bool   // the transaction stands still, if there is room for the record
	silent       bool   // it is not recorded
	zero         bool   // the transaction ends as one that reads zero and writes nothing
}

// fault is one of the four faults whose effect the CD, or for stage 2 the STE, chooses. IHI 0070, 5.5.
func (t *translation) fault(s *SMMU, id smmu.EventID, stage2 bool) {
	t.end(id)
	e := &t.event
	e.stage2, e.class = stage2, smmu.ClassIN
	switch {
	case stage2:
		e.fetch = t.walk.IPA &^ 0xfff
		e.stalls, e.silent = smmu.STE2_S2S.Is(t.ste[2]), !smmu.STE2_S2R.Is(t.ste[2])
		e.class = t.classOf2()
	default:
		e.stalls, e.silent = smmu.CD0_S.Is(t.cd[0]), !smmu.CD0_R.Is(t.cd[0])
		e.zero = !smmu.CD0_A.Is(t.cd[0])
		if s.spec.Mutants.InputClassCD {
			e.class = smmu.ClassCD
		}
	}
	t.describe()
}

// classOf2 is what stage 2 was asked for.
func (t *translation) classOf2() smmu.EventClass {
	switch {
	case t.forCD:
		return smmu.ClassCD
	case t.walk.Purpose == mmu.ForDescriptor && t.walk.Second:
		return smmu.ClassTT
	}
	return smmu.ClassIN
}

// describe notes the transaction.
func (t *translation) describe() {
	e := &t.event
	e.read = !t.access.Write
	e.privileged, e.instruction = t.access.Privileged, t.access.Execute && !t.access.Write
}

// walkAborted: a descriptor could not be read.
func (t *translation) walkAborted() {
	second := !t.walk.OfStage1()
	t.end(smmu.F_WALK_EABT)
	t.event.stage2, t.event.class, t.event.fetch = second, smmu.ClassTT, t.addr
	if second {
		t.event.class = t.classOf2()
	}
	t.describe()
}

// record is the four words.
func (e *event) record() (w [4]uint64) {
	w[0] = assemble(aField{smmu.EVT0_ID, uint64(e.id)}, aField{smmu.EVT0_StreamID, uint64(e.stream)})
	if e.hasSubstream {
		w[0] = smmu.EVT0_SSV.Put(w[0], 1)
		w[0] = smmu.EVT0_SubstreamID.Put(w[0], uint64(e.substream))
	}
	w[3] = e.fetch & uint64(smmu.EVT3_FetchAddr)
	if e.noAddr {
		return w
	}
	w[1] = assemble(
		aField{smmu.EVT1_PnU, bits.Flag(e.privileged)}, aField{smmu.EVT1_InD, bits.Flag(e.instruction)},
		aField{smmu.EVT1_RnW, bits.Flag(e.read)}, aField{smmu.EVT1_S2, bits.Flag(e.stage2)},
		aField{smmu.EVT1_CLASS, uint64(e.class)},
	)
	w[2] = e.addr
	return w
}
