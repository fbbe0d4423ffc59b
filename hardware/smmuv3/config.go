package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// streamTable is the stream table as its registers have it. IHI 0070, 5.1 and 6.3.24.
type streamTable struct {
	base     uint64
	log2     uint8 // of the number of streams
	split    uint8 // bits of a StreamID that index the second level
	twoLevel bool
}

func (s *SMMU) streamTable() streamTable {
	cfg := s.r.strtabCfg
	t := streamTable{log2: min(uint8(smmu.SMMU_STRTAB_BASE_CFG_LOG2SIZE.Get(cfg)), uint8(s.spec.SIDBits)), split: 6}
	if split := uint8(smmu.SMMU_STRTAB_BASE_CFG_SPLIT.Get(cfg)); split == 8 || split == 10 {
		t.split = split
	}
	t.twoLevel = smmu.StreamTableFormat(smmu.SMMU_STRTAB_BASE_CFG_FMT.Get(cfg)) == smmu.StreamTableTwoLevel
	size := uint64(smmu.STESize) << t.log2
	if t.twoLevel {
		size = max(64, uint64(smmu.L1Size)<<(max(t.log2, t.split)-t.split))
	}
	t.base = align(s.r.strtab&uint64(smmu.SMMU_STRTAB_BASE_ADDR), size)
	return t
}

// tableAccess are the attributes of accesses to the stream table.
func (s *SMMU) tableAccess() bus.Attr {
	return s.ownAccess(smmu.SMMU_CR1_TABLE_IC.Get(s.r.cr1), smmu.SMMU_CR1_TABLE_OC.Get(s.r.cr1),
		smmu.SMMU_CR1_TABLE_SH.Get(s.r.cr1))
}

// secondLevel is the address of an STE behind a level 1 descriptor; false if the descriptor has none for the stream.
func (s *SMMU) secondLevel(t *streamTable, descriptor uint64, stream uint32) (uint64, bool) {
	span := uint8(smmu.L1STD0_Span.Get(descriptor))
	if span == 0 || span > uint8(smmu.MaxSpan) || span > t.split+1 {
		return 0, false
	}
	size := uint64(1) << (span - 1)
	if s.spec.Mutants.SpanOffByOne {
		size <<= 1
	}
	index := uint64(stream) & (1<<t.split - 1)
	base := align(descriptor&uint64(smmu.L1STD0_L2Ptr), uint64(smmu.STESize)<<(span-1))
	return base + index*uint64(smmu.STESize), index < size
}

// ste is a stream table entry.
type ste [8]uint64

func (e *ste) config() smmu.STEConfig { return smmu.STEConfig(smmu.STE0_Config.Get(e[0])) }

// aborts: all configurations without bit 2 do.
func (e *ste) aborts() bool { return e.config() < smmu.ConfigBypass }
func (e *ste) stage1() bool { return e.config()&1 != 0 && !e.aborts() }
func (e *ste) stage2() bool { return e.config()&2 != 0 && !e.aborts() }

// checkSTE reports whether a stream table entry is valid and not ILLEGAL. IHI 0070, 5.2.2.
func (s *SMMU) checkSTE(e *ste) bool {
	switch {
	case !smmu.STE0_V.Is(e[0]):
		return false
	case e.aborts():
		return true
	case e.stage1() && !s.checkStage1(e), e.stage2() && !s.checkStage2(e):
		return false
	}
	return true
}

func (s *SMMU) checkStage1(e *ste) bool {
	cds := smmu.STE0_S1CDMax.Get(e[0])
	format := smmu.CDTableFormat(smmu.STE0_S1Fmt.Get(e[0]))
	strw := smmu.StreamWorld(smmu.STE1_STRW.Get(e[1]))
	switch {
	case !s.spec.Stage1, cds > uint64(s.spec.SSIDBits):
		return false
	case cds != 0 && format != smmu.CDLinear && !s.spec.TwoLevelCDs, cds != 0 && format > smmu.CDLeaf64K:
		return false
	case smmu.STE1_S1STALLD.Is(e[1]) && s.spec.StallModel != smmu.StallOrTerminate:
		return false
	case !e.stage2() && strw != smmu.WorldNSEL1 && !(strw == smmu.WorldEL2 && s.spec.HYP):
		return false
	}
	return true
}

func (s *SMMU) checkStage2(e *ste) bool {
	stalls := smmu.STE2_S2S.Is(e[2])
	switch {
	case !s.spec.Stage2, !smmu.STE2_S2AA64.Is(e[2]), smmu.STE2_S2ENDI.Is(e[2]):
		return false
	case stalls && s.spec.StallModel == smmu.TerminateOnly, !stalls && s.spec.StallModel == smmu.StallOnly:
		return false
	}
	_, ok := s.stageTwo(e)
	return ok
}

// stageTwo is stage 2 of an STE; false if its fields do not go together.
func (s *SMMU) stageTwo(e *ste) (mmu.Stage, bool) {
	granule := smmu.Granule0(smmu.STE2_S2TG.Get(e[2])).Shift()
	level := 2 - int8(smmu.STE2_S2SL0.Get(e[2])) // SL0 counts down from level 2, and from 3 with larger granules
	if granule != 12 {
		level++
	}
	t0sz := uint8(smmu.STE2_S2T0SZ.Get(e[2]))
	stage, ok := mmu.ArmConcatenated(granule, 64-t0sz, level)
	if !ok || !s.spec.granule(granule) || 64-t0sz > s.spec.OAS.Bits() && 64-t0sz > 40 {
		return stage, false
	}
	stage.Root = e[3] & uint64(smmu.STE3_S2TTB)
	stage.OutputBits = min(smmu.AddressSize(smmu.STE2_S2PS.Get(e[2])).Bits(), s.spec.OAS.Bits())
	stage.Options.NoAccessFlag = smmu.STE2_S2AFFD.Is(e[2])
	return stage, true
}

// walkAccess2 are the attributes of walks of stage 2.
func (s *SMMU) walkAccess2(e *ste) bus.Attr {
	return s.ownAccess(smmu.STE2_S2IR0.Get(e[2]), smmu.STE2_S2OR0.Get(e[2]), smmu.STE2_S2SH0.Get(e[2]))
}

// world is the stream world of a stream. A stream with stage 2 is in NS-EL1.
func (s *SMMU) world(e *ste) world {
	switch {
	case e.stage2() || smmu.StreamWorld(smmu.STE1_STRW.Get(e[1])) != smmu.WorldEL2:
		return worldEL1
	case smmu.SMMU_CR2_E2H.Is(s.r.cr2):
		return worldE2H
	}
	return worldEL2
}

// cd is a context descriptor.
type cd [8]uint64

// half is the fields of a CD that there are for each of its two tables.
type half struct {
	size, disabled, inner, outer, share bits.Field
	word                                int // of the base
	base, hierarchy                     bits.Field
	granule                             func(e *cd) uint8
	ignored                             uint64 // bit of TBI
}

var halves = [2]half{
	{
		smmu.CD0_T0SZ, smmu.CD0_EPD0, smmu.CD0_IR0, smmu.CD0_OR0, smmu.CD0_SH0, 1, smmu.CD1_TTB0, smmu.CD1_HAD0,
		func(e *cd) uint8 { return smmu.Granule0(smmu.CD0_TG0.Get(e[0])).Shift() }, 1,
	},
	{
		smmu.CD0_T1SZ, smmu.CD0_EPD1, smmu.CD0_IR1, smmu.CD0_OR1, smmu.CD0_SH1, 2, smmu.CD2_TTB1, smmu.CD2_HAD1,
		func(e *cd) uint8 { return smmu.Granule1(smmu.CD0_TG1.Get(e[0])).Shift() }, 2,
	},
}

// checkCD reports whether a context descriptor is valid and not ILLEGAL. IHI 0070, 5.4.2 and 5.5. Sizes out of range
// are ILLEGAL here, which is one of the choices.
func (s *SMMU) checkCD(e *cd, by *ste) bool {
	stalls := smmu.CD0_S.Is(e[0])
	switch {
	case !smmu.CD0_V.Is(e[0]), !smmu.CD0_AA64.Is(e[0]), smmu.CD0_ENDI.Is(e[0]):
		return false
	case s.spec.AbortOnly && !smmu.CD0_A.Is(e[0]):
		return false
	case stalls && (s.spec.StallModel == smmu.TerminateOnly || smmu.STE1_S1STALLD.Is(by[1])):
		return false
	case !stalls && s.spec.StallModel == smmu.StallOnly:
		return false
	}
	for i := range halves {
		if h := &halves[i]; !h.disabled.Is(e[0]) && !(i == 1 && s.world(by) == worldEL2) {
			if _, ok := s.stageOne(e, by, i); !ok {
				return false
			}
		}
	}
	return true
}

// stageOne is stage 1 below one of the two tables of a CD; false if its fields do not go together.
func (s *SMMU) stageOne(e *cd, by *ste, i int) (mmu.Stage, bool) {
	h := &halves[i]
	granule, size := h.granule(e), uint8(h.size.Get(e[0]))
	stage, ok := mmu.Arm(mmu.ArmStage1, granule, 64-size)
	if !ok || !s.spec.granule(granule) {
		return stage, false
	}
	stage.Root = e[h.word] & uint64(h.base)
	stage.OutputBits = min(smmu.AddressSize(smmu.CD0_IPS.Get(e[0])).Bits(), s.spec.OAS.Bits())
	stage.Options = mmu.Options{
		NoHierarchy:   s.spec.HAD && h.hierarchy.Is(e[h.word]),
		NoAccessFlag:  smmu.CD0_AFFD.Is(e[0]),
		OnePrivilege:  s.world(by) == worldEL2,
		NeverExecute:  smmu.CD0_WXN.Is(e[0]),
		PrivilegedOff: smmu.CD0_PAN.Is(e[0]),
	}
	return stage, true
}

// walkAccess1 are the attributes of walks below one of the tables of a CD.
func (s *SMMU) walkAccess1(e *cd, i int) bus.Attr {
	h := &halves[i]
	return s.ownAccess(h.inner.Get(e[0]), h.outer.Get(e[0]), h.share.Get(e[0]))
}

// half is the table of a CD that translates an address, and the address as it indexes the tables; false if neither
// does. IHI 0070, 3.4.1.
func (e *cd) half(addr uint64, w world) (int, uint64, bool) {
	for i := range halves {
		h := &halves[i]
		if i == 1 && w == worldEL2 {
			break
		}
		v := addr
		if smmu.CD0_TBI.Get(e[0])&h.ignored != 0 {
			v = uint64(int64(v<<8) >> 8) // what bit 55 is
		}
		bits := 64 - uint8(h.size.Get(e[0]))
		if top := uint64(int64(v) >> min(bits, 63)); v>>bits == 0 && i == 0 || i == 1 && top == ^uint64(0) {
			return i, v & (1<<bits - 1), !h.disabled.Is(e[0])
		}
	}
	return 0, 0, false
}
