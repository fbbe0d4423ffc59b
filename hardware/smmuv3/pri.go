package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
)

// PageRequest is a page request of a device: the queue takes it, or answers in the place of software. IHI 0070, 8.
type PageRequest struct {
	Stream, Substream         uint32
	HasSubstream              bool
	Privileged, Execute, Read bool
	Write, Last               bool
	Group                     uint16
	Addr                      uint64
}

// RequestPage puts a page request into the PRI queue. Where that is off it is refused; where it has lost requests and
// software has not acknowledged that, or is full, the last of a group is answered with success, as if it had been a
// response. IHI 0070, 8.1.
func (s *SMMU) RequestPage(p PageRequest) {
	w := record{}
	w.words[0] = assemble(
		aField{smmu.PRI0_StreamID, uint64(p.Stream)}, aField{smmu.PRI0_SubstreamID, uint64(p.Substream)},
		aField{smmu.PRI0_PRIV, bits.Flag(p.Privileged)}, aField{smmu.PRI0_X, bits.Flag(p.Execute)},
		aField{smmu.PRI0_R, bits.Flag(p.Read)}, aField{smmu.PRI0_W, bits.Flag(p.Write)},
		aField{smmu.PRI0_Last, bits.Flag(p.Last)},
		aField{smmu.PRI0_SSV, bits.Flag(p.HasSubstream)},
	)
	w.words[1] = smmu.PRI1_PRGIndex.Put(p.Addr&uint64(smmu.PRI1_Address), uint64(p.Group))
	q := &s.r.pri
	response := smmu.PRISuccess
	switch {
	case !s.on(smmu.SMMU_CR0_PRIQEN) || s.failing(smmu.SMMU_GERROR_PRIQ_ABT_ERR):
		response = smmu.PRIFail
	case q.overflowed():
	case s.pri.full(q):
		s.pri.overflow(q)
	default:
		s.pri.send(w)
		return
	}
	if e := s.endpoints[p.Stream]; e != nil && p.Last {
		e.PageResponse(p.Group, uint8(response))
	}
}
