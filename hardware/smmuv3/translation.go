package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// phase is what a translation waits for, or how it has ended.
type phase uint8

const (
	translating phase = iota
	readL1STD
	readSTE
	readL1CD
	readCD
	readDescriptor
	translated // output and attr are the result
	terminated // with event, if it has one
)

// String is the phase in traces.
func (p phase) String() string {
	return [...]string{
		"translating", "level 1 stream table descriptor", "STE", "level 1 context descriptor", "CD", "descriptor",
		"translated", "terminated",
	}[p]
}

// An input is what a device asks for.
type input struct {
	stream, substream uint32
	hasSubstream      bool
	addr              uint64
	access            mmu.Access
	modify            bool // a read-modify-write: it reads too
	attr              bus.Attr
}

// A translation takes a transaction from its StreamID and address to a physical address. It reads nothing by itself:
// while it is in a phase that reads, it wants `length` bytes at `addr`, and goes on with give. Everything it uses of
// the SMMU are registers and caches; who only looks (inspect) changes neither.
type translation struct {
	input
	phase   phase
	inspect bool // caches are looked at, and not changed
	cached  bool // the last structure or translation came out of a cache
	tainted bool // an invalidation has named what it uses: nothing of it is kept

	addr   uint64 // of the read
	length uint8
	how    bus.Attr // of the read

	table      streamTable
	ste        ste
	cd         cd
	space      space
	hasCD      bool   // stage 1 translates
	index      uint32 // of the CD
	half       int
	walkInput  uint64
	forCD      bool // stage 2 translates the address of a CD or its level 1 descriptor
	forL1CD    bool
	one, two   mmu.Stage
	walk       mmu.Nested
	configured bool // space is known

	output  uint64
	leaf    uint8 // log2 of the bytes of the leaf that was used
	outAttr bus.Attr
	event   event
}

// begin starts a translation of its input. With SMMUEN 0 everything passes, or nothing. IHI 0070, 3.11 and 6.3.14.
func (t *translation) begin(s *SMMU) {
	in, inspect := t.input, t.inspect
	*t = translation{input: in, inspect: inspect, event: event{stream: in.stream}}
	if !s.on(smmu.SMMU_CR0_SMMUEN) {
		t.bypassGlobally(s)
		return
	}
	t.table = s.streamTable()
	if in.stream>>t.table.log2 != 0 {
		t.badStream(s)
		return
	}
	if e := s.caches.ste.find(in.stream, 0); e != nil {
		t.cached = true
		t.haveSTE(s, &e.words)
		return
	}
	if !t.table.twoLevel {
		t.wantSTE(s, t.table.base+uint64(in.stream)*uint64(smmu.STESize))
		return
	}
	first := in.stream &^ (1<<t.table.split - 1)
	if e := s.caches.l1std.find(first, 0); e != nil {
		t.cached = true
		t.haveL1STD(s, e.words[0])
		return
	}
	at := t.table.base + uint64(in.stream>>t.table.split)*uint64(smmu.L1Size)
	t.want(readL1STD, at, uint8(smmu.L1Size), s.tableAccess())
}

// want makes the translation wait for a read.
func (t *translation) want(p phase, addr uint64, length uint8, how bus.Attr) {
	t.phase, t.addr, t.length, t.how, t.cached = p, addr, length, how, false
}

// end terminates the transaction.
func (t *translation) end(id smmu.EventID) {
	t.phase = terminated
	t.event.id = id
	t.event.substream, t.event.hasSubstream = t.substream, t.hasSubstream
	t.event.addr = t.input.addr
}

// bypassGlobally is what SMMU_GBPA says.
func (t *translation) bypassGlobally(s *SMMU) {
	g := s.r.gbpa
	if smmu.SMMU_GBPA_ABORT.Is(g) || t.input.addr>>s.spec.OAS.Bits() != 0 {
		t.phase = terminated
		return
	}
	t.outAttr = t.input.attr
	if smmu.SMMU_GBPA_MTCFG.Is(g) {
		t.outAttr = fourBits(smmu.SMMU_GBPA_MemAttr.Get(g), shareOf(t.outAttr))
	}
	if share := smmu.SMMU_GBPA_SHCFG.Get(g); share != incomingShare {
		t.outAttr.Shareability = domain(share)
	}
	t.outAttr.Privileged = privilege(smmu.SMMU_GBPA_PRIVCFG.Get(g), t.input.attr.Privileged)
	t.phase, t.output = translated, t.input.addr
}

// incomingShare is the value of SHCFG that leaves the shareability of a transaction as it is.
const incomingShare = 1

// shareOf is the shareability of attributes as fields have it.
func shareOf(a bus.Attr) uint64 {
	switch a.Shareability {
	case bus.OuterShareable, bus.FullSystem:
		return uint64(smmu.OuterShareable)
	case bus.InnerShareable:
		return uint64(smmu.InnerShareable)
	}
	return uint64(smmu.NonShareable)
}

// privilege applies a PRIVCFG field.
func privilege(cfg uint64, incoming bool) bool {
	const unprivileged, privileged = 2, 3
	return cfg == privileged || incoming && cfg != unprivileged
}

// badStream: the stream does not exist, which is told if CR2 says so.
func (t *translation) badStream(s *SMMU) {
	if t.phase = terminated; smmu.SMMU_CR2_RECINVSID.Is(s.r.cr2) {
		t.end(smmu.C_BAD_STREAMID)
		t.event.noAddr = true
	}
}

func (t *translation) wantSTE(s *SMMU, addr uint64) {
	t.want(readSTE, addr, uint8(smmu.STESize), s.tableAccess())
}

// give goes on with what was read; aborted says that the read failed.
func (t *translation) give(s *SMMU, words *[8]uint64, aborted bool) {
	switch p := t.phase; {
	case p == readDescriptor && aborted:
		t.walkAborted()
	case p == readDescriptor:
		t.walk.Give(words[0])
		t.follow(s)
	case aborted && (p == readL1STD || p == readSTE):
		t.fetchFailed(smmu.F_STE_FETCH)
	case aborted:
		t.fetchFailed(smmu.F_CD_FETCH)
	case p == readL1STD:
		t.keep(s.caches.l1std, t.stream&^(1<<t.table.split-1), 0, &[8]uint64{words[0]}, s.spec.CacheInvalid || words[0] != 0)
		t.haveL1STD(s, words[0])
	case p == readSTE:
		t.keep(s.caches.ste, t.stream, 0, words, s.spec.CacheInvalid || smmu.STE0_V.Is(words[0]))
		t.haveSTE(s, words)
	case p == readL1CD:
		t.keep(s.caches.l1cd, t.stream, t.firstOfLeaf(), &[8]uint64{words[0]}, s.spec.CacheInvalid || words[0] != 0)
		t.haveL1CD(s, words[0])
	case p == readCD:
		t.keep(s.caches.cd, t.stream, t.index, words, s.spec.CacheInvalid || smmu.CD0_V.Is(words[0]))
		t.haveCD(s, words)
	default:
		panic("BUG: a translation is given what it does not wait for")
	}
}

// keep caches a structure, unless it was invalidated on its way here.
func (t *translation) keep(c structureCache, stream, sub uint32, words *[8]uint64, worth bool) {
	if worth && !t.inspect && !t.tainted {
		c.put(stream, sub, words)
	}
}

func (t *translation) fetchFailed(id smmu.EventID) {
	t.end(id)
	t.event.noAddr, t.event.fetch = true, t.addr
}

func (t *translation) haveL1STD(s *SMMU, descriptor uint64) {
	addr, ok := s.secondLevel(&t.table, descriptor, t.stream)
	if !ok {
		t.badStream(s)
		return
	}
	t.wantSTE(s, addr)
}

// haveSTE looks at the configuration of the stream. IHI 0070, 3.9 and 5.2.
func (t *translation) haveSTE(s *SMMU, words *[8]uint64) {
	t.ste = ste(*words)
	e := &t.ste
	switch {
	case !s.checkSTE(e):
		t.end(smmu.C_BAD_STE)
		t.event.noAddr = true
	case e.aborts():
		t.phase = terminated
	case !e.stage1() && t.hasSubstream, t.hasSubstream && uint64(t.substream)>>smmu.STE0_S1CDMax.Get(e[0]) != 0,
		t.hasSubstream && smmu.STE0_S1CDMax.Get(e[0]) == 0:
		t.end(smmu.C_BAD_SUBSTREAMID)
		t.event.noAddr = true
	default:
		t.configure(s)
	}
}

// configure chooses the CD. Where there are substreams, STE.S1DSS says what becomes of a transaction without one.
func (t *translation) configure(s *SMMU) {
	e := &t.ste
	t.access.Privileged = privilege(smmu.STE1_PRIVCFG.Get(e[1]), t.access.Privileged)
	const isData, isInstruction = 2, 3
	switch inst := smmu.STE1_INSTCFG.Get(e[1]); {
	case t.access.Write:
	case inst == isInstruction:
		t.access.Execute = true
	case inst == isData:
		t.access.Execute = false
	}
	t.space = space{world: s.world(e), two: e.stage2()}
	if s.spec.Stage2 && t.space.world == worldEL1 {
		t.space.vmid = uint16(smmu.STE2_S2VMID.Get(e[2]))
		if !s.spec.VMID16 {
			t.space.vmid &= 0xff
		}
	}
	if t.space.two {
		t.two, _ = s.stageTwo(e)
	}
	if !e.stage1() {
		t.lookUp(s)
		return
	}
	t.hasCD = true
	if smmu.STE0_S1CDMax.Get(e[0]) != 0 {
		dss := smmu.DefaultSubstream(smmu.STE1_S1DSS.Get(e[1]))
		switch {
		case !t.hasSubstream && dss == smmu.DSSBypass:
			t.hasCD = false
			t.lookUp(s)
			return
		case !t.hasSubstream && dss != smmu.DSSSubstream0, t.hasSubstream && dss == smmu.DSSSubstream0 && t.substream == 0:
			t.end(smmu.F_STREAM_DISABLED)
			t.event.noAddr = true
			return
		}
	}
	t.index = t.substream // 0 for a transaction without one
	t.findCD(s)
}

// leafLog2 is log2 of the CDs of a leaf table, 0 where there is one level.
func (t *translation) leafLog2() uint8 {
	if smmu.STE0_S1CDMax.Get(t.ste[0]) == 0 {
		return 0
	}
	switch smmu.CDTableFormat(smmu.STE0_S1Fmt.Get(t.ste[0])) {
	case smmu.CDLeaf4K:
		return uint8(smmu.L2CDs4K)
	case smmu.CDLeaf64K:
		return uint8(smmu.L2CDs64K)
	}
	return 0
}

// firstOfLeaf is the first SubstreamID of the leaf table of the CD.
func (t *translation) firstOfLeaf() uint32 { return t.index &^ (1<<t.leafLog2() - 1) }

// findCD looks for the CD in the cache, or begins to read it.
func (t *translation) findCD(s *SMMU) {
	if e := s.caches.cd.find(t.stream, t.index); e != nil {
		t.cached = true
		t.haveCD(s, &e.words)
		return
	}
	base := t.ste[0] & uint64(smmu.STE0_S1ContextPtr)
	leaf := t.leafLog2()
	if leaf == 0 {
		base = align(base, uint64(smmu.CDSize)<<smmu.STE0_S1CDMax.Get(t.ste[0]))
		t.fetchCD(s, base+uint64(t.index)*uint64(smmu.CDSize), false)
		return
	}
	if e := s.caches.l1cd.find(t.stream, t.firstOfLeaf()); e != nil {
		t.cached = true
		t.haveL1CD(s, e.words[0])
		return
	}
	t.fetchCD(s, base+uint64(t.index>>leaf)*uint64(smmu.L1Size), true)
}

// fetchCD reads a CD or its level 1 descriptor, whose address stage 2 translates if there is one.
func (t *translation) fetchCD(s *SMMU, addr uint64, level1 bool) {
	t.forL1CD = level1
	if t.space.two {
		t.forCD = true
		t.walk.Begin(nil, &t.two, addr)
		t.follow(s)
		return
	}
	t.readCDAt(s, addr)
}

func (t *translation) readCDAt(s *SMMU, addr uint64) {
	p, n := readCD, uint8(smmu.CDSize)
	if t.forL1CD {
		p, n = readL1CD, uint8(smmu.L1Size)
	}
	e := &t.ste
	t.want(p, addr, n, s.ownAccess(smmu.STE1_S1CIR.Get(e[1]), smmu.STE1_S1COR.Get(e[1]), smmu.STE1_S1CSH.Get(e[1])))
}

func (t *translation) haveL1CD(s *SMMU, descriptor uint64) {
	if !smmu.L1CD0_V.Is(descriptor) {
		t.end(smmu.C_BAD_SUBSTREAMID)
		t.event.noAddr = true
		return
	}
	at := descriptor&uint64(smmu.L1CD0_L2Ptr) + uint64(t.index-t.firstOfLeaf())*uint64(smmu.CDSize)
	t.fetchCD(s, at, false)
}

// haveCD looks at the configuration of the substream.
func (t *translation) haveCD(s *SMMU, words *[8]uint64) {
	t.cd = cd(*words)
	if !s.checkCD(&t.cd, &t.ste) {
		t.end(smmu.C_BAD_CD)
		t.event.noAddr = true
		return
	}
	t.space.one = true
	if t.space.world != worldEL2 {
		t.space.asid = uint16(smmu.CD0_ASID.Get(t.cd[0]))
		if !s.spec.ASID16 {
			t.space.asid &= 0xff
		}
	}
	t.space.private = smmu.CD0_ASET.Is(t.cd[0])
	t.lookUp(s)
}

// lookUp takes the translation from the TLB, or begins a walk.
func (t *translation) lookUp(s *SMMU) {
	t.configured, t.forCD = true, false
	t.walkInput = t.input.addr
	if !t.hasCD && !t.space.two {
		t.bypass(s)
		return
	}
	if t.hasCD {
		i, addr, ok := t.cd.half(t.input.addr, t.space.world)
		if !ok {
			t.fault(s, smmu.F_TRANSLATION, false)
			return
		}
		t.half, t.walkInput = i, addr
		t.one, _ = s.stageOne(&t.cd, &t.ste, i)
	}
	if e := s.tlb.find(t.tlbInput(), &t.space); e != nil {
		if t.cached = true; !t.inspect {
			s.stats.TLBHits++
		}
		t.use(s, e)
		return
	}
	if t.cached = false; !t.inspect {
		s.stats.TLBMisses++
	}
	one, two := &t.one, &t.two
	if !t.hasCD {
		one = nil
	}
	if !t.space.two {
		two = nil
	}
	t.walk.Begin(one, two, t.walkInput)
	t.follow(s)
}

// follow goes on where the walk stands.
func (t *translation) follow(s *SMMU) {
	w := &t.walk
	switch {
	case w.Status == mmu.Reading:
		how := s.walkAccess2(&t.ste)
		if w.OfStage1() {
			how = s.walkAccess1(&t.cd, t.half)
		}
		t.want(readDescriptor, w.Descriptor(), 1<<mmu.EntryShift, how)
	case w.Status == mmu.Finished && t.forCD && w.Result.Perm&mmu.ReadPrivileged == 0:
		t.fault(s, smmu.F_PERMISSION, true)
	case w.Status == mmu.Finished && t.forCD:
		t.forCD = false
		t.readCDAt(s, w.Result.At(w.IPA))
	case w.Status == mmu.Finished:
		t.finish(s)
	default:
		ids := [...]smmu.EventID{
			mmu.Translation: smmu.F_TRANSLATION, mmu.AddressSize: smmu.F_ADDR_SIZE, mmu.AccessFlag: smmu.F_ACCESS,
			mmu.Permission: smmu.F_PERMISSION,
		}
		t.fault(s, ids[w.Fault], w.Second)
	}
}
