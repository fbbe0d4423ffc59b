package riscv

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An Oracle knows what harts may translate, whatever their caches hold: every value that a page table entry had since
// the last fence that covers it, in any combination (volume II, 12.2.1). It answers two questions, of which neither
// replaces the other. Has the hardware used what it may not? And did the kernel, when one of its flushes returned,
// leave something allowed that the flush was to end? A flush that is missing makes the hardware use what is allowed.
//
// It learns of page table entries by [Hart.WriteEntry] and from what walks read. A value that a walk reads and nobody
// has told of counts as one that was always there.
type Oracle struct {
	memory   *mem.Memory
	harts    []history
	values   map[uint64][]value // of each page table entry, by address
	retired  []Retired
	freed    []freed
	findings []Finding
}

// value is what an entry held: who reads it in between may read this.
type value struct {
	pte      uint64
	from, to sim.Time
}

// history is what one hart did since the last fence that covers everything.
type history struct {
	hart   *Hart
	satps  []tenure
	fences []fenceRecord
	full   sim.Time // the last such fence
}

// tenure is a time in which satp had one value.
type tenure struct {
	stage    mmu.Stage
	mode     rv.SatpMode
	asid     uint16
	from, to sim.Time
}

// fenceRecord is a fence of translations that has completed.
type fenceRecord struct {
	va, asid rv.Operand
	at       sim.Time
}

// Translation is one that a hart may use.
type Translation struct {
	At, PTE uint64 // the last entry of the walk
	Kind    mmu.Kind
	Output  uint64
	Shift   uint8
	Perm    mmu.Perm
	Global  bool
	ASID    uint16
	Root    uint64 // that it was walked from
}

// Retired is a page table entry that a flush call of the kernel was to end, when the call has returned.
type Retired struct {
	Call     string
	VA       uint64
	Shift    uint8
	At       uint64
	Old, New uint64
}

type freed struct {
	call  string
	table uint64
}

// Question is which of the oracle's questions a finding answers.
type Question uint8

// The questions.
const (
	HardwareMay Question = iota // the hardware used what it may not: impossible without a quirk
	KernelUsed                  // a retired translation was used
	KernelMay                   // a retired translation may be used, and was not this time
	FreedTable                  // a walk read a table that has been freed
)

// Finding is something that must not be.
type Finding struct {
	Question Question
	Hart     int
	VA       uint64
	ASID     uint16
	At       sim.Time
	Fence    sim.Time // the hart's last fence that covers everything
	What     string
}

func (f Finding) String() string {
	kind := [...]string{"hardware", "kernel, used", "kernel, may be used", "kernel, freed table"}[f.Question]
	return fmt.Sprintf("%s: CPU%d, VA 0x%x, ASID %d at %s: %s", kind, f.Hart, f.VA, f.ASID, f.At, f.What)
}

// NewOracle watches harts from now on. What their caches hold must be empty.
func NewOracle(memory *mem.Memory, harts ...*Hart) *Oracle {
	o := &Oracle{memory: memory, harts: make([]history, len(harts)), values: map[uint64][]value{}}
	for i, h := range harts {
		h.oracle, h.hot = o, hot{}
		o.harts[i] = history{hart: h}
		o.satp(h)
	}
	return o
}

// Findings are all so far.
func (o *Oracle) Findings() []Finding { return o.findings }

func (o *Oracle) of(h *Hart) *history {
	for i := range o.harts {
		if o.harts[i].hart == h {
			return &o.harts[i]
		}
	}
	panic("BUG: the oracle does not watch " + h.CPU.String())
}

// satp begins a tenure.
func (o *Oracle) satp(h *Hart) {
	s, now := o.of(h), h.Now()
	if n := len(s.satps); n > 0 {
		s.satps[n-1].to = now
	}
	s.satps = append(s.satps, tenure{h.stage, h.mode, h.asid, now, sim.Never})
}

// fenced is a fence that has completed: it covers what was there before a time.
func (o *Oracle) fenced(h *Hart, va, asid rv.Operand, at sim.Time) {
	if va.Register && h.mode != rv.Bare && !mmu.SvCanonical(h.mode, va.Value) {
		return
	}
	asid.Value &= 1<<h.spec.ASIDBits - 1
	s := o.of(h)
	if va.Register || asid.Register {
		s.fences = append(s.fences, fenceRecord{va, asid, at})
		return
	}
	s.fences, s.full = s.fences[:0], at
	kept := s.satps[:0]
	for _, t := range s.satps {
		if t.to > at {
			kept = append(kept, t)
		}
	}
	s.satps = kept
}

// know begins the history of an entry, with what memory holds.
func (o *Oracle) know(at uint64) []value {
	if len(o.values[at]) == 0 && o.memory.Contains(at, 8) {
		o.values[at] = append(o.values[at], value{o.memory.Peek(at, 8), 0, sim.Never})
	}
	return o.values[at]
}

// Wrote says that an entry was written: issued is when the first walk may see it, and drained when the last walk may
// see what was there before. The oracle must know the entry.
func (o *Oracle) Wrote(at, pte uint64, issued, drained sim.Time) {
	list := o.values[at]
	for i := range list {
		list[i].to = min(list[i].to, drained)
	}
	oldest := sim.Never
	for i := range o.harts {
		oldest = min(oldest, o.harts[i].full)
	}
	kept := list[:0]
	for _, v := range list {
		if v.to > oldest {
			kept = append(kept, v)
		}
	}
	o.values[at] = append(kept, value{pte, issued, sim.Never})
}

// saw notes what a walk has read, and where.
func (o *Oracle) saw(h *Hart, va, at, pte uint64) {
	for _, f := range o.freed {
		if at&^(1<<rv.PageShift-1) == f.table {
			o.find(h, FreedTable, va, fmt.Sprintf("a walk reads the table at 0x%x, which %s has freed", f.table, f.call))
		}
	}
	for _, v := range o.know(at) {
		if v.pte == pte && v.to >= h.Now() {
			return
		}
	}
	o.values[at] = append(o.values[at], value{pte, 0, sim.Never})
}

func (o *Oracle) find(h *Hart, q Question, va uint64, what string) {
	o.findings = append(o.findings, Finding{q, h.ID, va, h.asid, h.Now(), o.of(h).full, what})
}

// used checks a translation that a hart uses.
func (o *Oracle) used(h *Hart, va uint64, e *entry) {
	if e.at == noEntry {
		return
	}
	may := o.May(h, va, h.asid)
	allowed := false
	for i := range may {
		allowed = allowed || may[i].At == e.at && may[i].PTE == e.pte && may[i].Kind == e.kind
	}
	if !allowed {
		o.find(h, HardwareMay, va, fmt.Sprintf("used entry 0x%x at 0x%x: expected one of %d that may be used%s", e.pte, e.at,
			len(may), h.spec.Quirks.names()))
	}
	for i := range o.retired {
		r := &o.retired[i]
		switch {
		case va>>r.Shift != r.VA>>r.Shift:
		case e.at == r.At && e.pte == r.Old:
			o.find(h, KernelUsed, va, fmt.Sprintf("entry 0x%x, which %s had ended", r.Old, r.Call))
		case holds(may, r):
			o.find(h, KernelMay, va, fmt.Sprintf("entry 0x%x, which %s had ended", r.Old, r.Call))
		}
	}
}

func holds(may []Translation, r *Retired) bool {
	for i := range may {
		if may[i].At == r.At && may[i].PTE == r.Old {
			return true
		}
	}
	return false
}

// Retire says that a flush call of the kernel has returned, which was to end what an entry allowed and no longer
// allows. An entry that allows all that it did retires nothing.
func (o *Oracle) Retire(r Retired) {
	if less(r.Old, r.New) {
		o.retired = append(o.retired, r)
	}
}

// Freed says that the kernel has freed a table, in a call.
func (o *Oracle) Freed(call string, table uint64) { o.freed = append(o.freed, freed{call, table}) }

// less reports whether one entry takes away what another allowed.
func less(old, now uint64) bool {
	rights := uint64(rv.PTE_R | rv.PTE_W | rv.PTE_X | rv.PTE_U | rv.PTE_D)
	switch {
	case !rv.PTE_V.Is(old):
		return false
	case !rv.PTE_V.Is(now):
		return true
	}
	return rv.PTE_PPN.Get(old) != rv.PTE_PPN.Get(now) || old&rights&^now != 0
}

// names are the quirks that may explain what the hardware did.
func (q *Quirks) names() string {
	text := ""
	for _, n := range [...]struct {
		on   bool
		name string
	}{
		{q.VAASIDUsesSatp, "sfence.vma va,asid uses satp.ASID"}, {q.UTLBSuperpageVPN, "superpages stay in uTLBs"},
		{q.ITLBIgnoresPartial, "CIP-1200"},
	} {
		if n.on {
			text += "; quirk: " + n.name
		}
	}
	return text
}
