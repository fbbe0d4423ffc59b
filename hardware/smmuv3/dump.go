package smmuv3

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
)

// Peek reads words of memory as a debugger does; false where there is none.
type Peek func(addr uint64, words []uint64) bool

// Dump prints the registers that are not at their reset values, the queues with the entries that wait, what the
// consumer does, and the transactions under way. Entries are read by peek, which may be nil.
func (s *SMMU) Dump(w io.Writer, peek Peek) {
	for _, r := range [...]struct {
		name string
		v    uint64
	}{
		{"SMMU_CR0", s.r.cr0}, {"SMMU_CR0ACK", s.r.cr0ack}, {"SMMU_CR1", s.r.cr1}, {"SMMU_CR2", s.r.cr2},
		{"SMMU_GBPA", s.r.gbpa}, {"SMMU_IRQ_CTRL", s.r.irqCtrl}, {"SMMU_IRQ_CTRLACK", s.r.irqAck},
		{"SMMU_GERROR", s.r.gerror}, {"SMMU_GERRORN", s.r.gerrorn}, {"SMMU_STRTAB_BASE", s.r.strtab},
		{"SMMU_STRTAB_BASE_CFG", s.r.strtabCfg},
	} {
		if r.v != 0 {
			fmt.Fprintln(w, register(r.name, r.v))
		}
	}
	s.dumpQueue(w, "command queue", s.commandRing(), &s.r.command, peek, func(e []uint64) string {
		return DecodeCommand(e[0], e[1])
	})
	fmt.Fprintf(w, "  consumer %s", s.cmdq.state)
	if e := smmu.CommandError(smmu.SMMU_CMDQ_CONS_ERR.Get(s.r.command.cons)); s.failing(smmu.SMMU_GERROR_CMDQ_ERR) {
		name, _ := named("SMMU_CMDQ_CONS", "ERR", uint64(e))
		fmt.Fprintf(w, ", %s", name)
	}
	fmt.Fprintf(w, ", %d invalidations without effect yet\n", s.pending.waiting.len())
	s.dumpQueue(w, "event queue", s.events.ring(), &s.r.event, peek, func(e []uint64) string {
		return DecodeEvent([4]uint64(e))
	})
	if s.spec.PRI {
		s.dumpQueue(w, "PRI queue", s.pri.ring(), &s.r.pri, peek, func(e []uint64) string {
			return DecodePRI([2]uint64(e))
		})
	}
	s.dumpFlight(w)
}

// dumpQueue prints a queue's pointers as index and wrap bit, and its entries from CONS to PROD.
func (s *SMMU) dumpQueue(w io.Writer, name string, q ring, r *queueRegisters, peek Peek, decode func([]uint64) string) {
	used := q.used(r.prod, r.cons)
	state := fmt.Sprintf("%d of %d used", used, q.size())
	switch {
	case !q.consistent(r.prod, r.cons):
		state = "PROD and CONS are inconsistent"
	case used == 0:
		state = "empty"
	case used == q.size():
		state = "full"
	}
	fmt.Fprintf(w, "%s at 0x%x: PROD %d wrap %d, CONS %d wrap %d: %s", name, q.base, q.index(r.prod), q.wrap(r.prod),
		q.index(r.cons), q.wrap(r.cons), state)
	if r != &s.r.command && r.overflowed() {
		fmt.Fprint(w, ", overflowed")
	}
	fmt.Fprintln(w)
	if peek == nil || !q.consistent(r.prod, r.cons) {
		return
	}
	const shown = 16
	entry := make([]uint64, 1<<q.shift/8)
	for i, p := uint64(0), r.cons&q.pointers(); i < used; i, p = i+1, q.next(p) {
		if i == shown {
			fmt.Fprintf(w, "  and %d more\n", used-i)
			return
		}
		text := "not in memory"
		if peek(q.at(p), entry) {
			text = decode(entry)
		}
		fmt.Fprintf(w, "  %5d  %s\n", q.index(p), text)
	}
}

func (s *SMMU) dumpFlight(w io.Writer) {
	for _, r := range s.flight.list {
		fmt.Fprintf(w, "transaction of stream %d, %s 0x%x: %s", r.Master.StreamID, r.Op, uint64(r.Addr), r.state)
		if r.state == requestReading {
			fmt.Fprintf(w, " %s at 0x%x", r.t.phase, r.t.addr)
		}
		if r.state == requestStalled {
			fmt.Fprintf(w, ", STAG %d", r.tag)
		}
		if r.named {
			fmt.Fprint(w, ", uses what was invalidated")
		}
		fmt.Fprintln(w)
	}
}

// maxInspected is more reads than a translation makes.
const maxInspected = 64

// Inspect translates an address of a stream as a debugger does: without time, by what caches and memory have now, and
// without changing them. Each step is a line.
func (s *SMMU) Inspect(w io.Writer, m bus.Master, hasSubstream bool, addr uint64, op bus.Op, attr bus.Attr, peek Peek) {
	r := Request{
		Transaction: bus.Transaction{Master: &m, Addr: bus.Addr(addr), Op: op, Attr: attr}, Substream: hasSubstream, s: s,
	}
	t := &r.t
	t.input, t.inspect = r.input(), true
	if t.begin(s); !s.on(smmu.SMMU_CR0_SMMUEN) {
		fmt.Fprintln(w, "SMMUEN is 0: SMMU_GBPA decides")
	}
	for range maxInspected {
		if t.phase == translated || t.phase == terminated {
			break
		}
		var words [8]uint64
		ok := peek(t.addr, words[:t.length/8])
		fmt.Fprintf(w, "%s at 0x%x%s: ", t.phase, t.addr, t.level())
		if !ok {
			fmt.Fprintln(w, "no memory")
		} else {
			fmt.Fprintln(w, t.describeRead(&words))
		}
		t.give(s, &words, !ok)
	}
	t.conclude(w)
}

// level says where in its tables a descriptor is.
func (t *translation) level() string {
	if t.phase != readDescriptor {
		return ""
	}
	stage, level := 1, 3-t.walk.Height()
	if !t.walk.OfStage1() {
		stage = 2
	}
	return fmt.Sprintf(", stage %d level %d", stage, level)
}

// describeRead decodes what was read.
func (t *translation) describeRead(words *[8]uint64) string {
	switch t.phase {
	case readL1STD:
		return describeWords("L1STD", words[:1])
	case readSTE:
		return describeWords("STE", words[:4])
	case readL1CD:
		return describeWords("L1CD", words[:1])
	case readCD:
		return describeWords("CD", words[:4])
	}
	return fmt.Sprintf("0x%x", words[0])
}

// describeWords decodes the words of a structure.
func describeWords(name string, words []uint64) string {
	var b strings.Builder
	for i, v := range words {
		appendFields(&b, fmt.Sprintf("%s%d", name, i), v, fmt.Sprintf("res%d", i))
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()[1:]
}

// conclude prints the result.
func (t *translation) conclude(w io.Writer) {
	from := ""
	if t.cached {
		from = ", out of a cache"
	}
	switch {
	case t.phase == translated && t.configured && (t.hasCD || t.space.two):
		fmt.Fprintf(w, "0x%x is 0x%x%s\n", t.input.addr, t.output, from)
	case t.phase == translated:
		fmt.Fprintf(w, "0x%x passes as it is%s\n", t.output, from)
	case t.event.id == 0:
		fmt.Fprintf(w, "aborted without an event%s\n", from)
	default:
		how := "aborted"
		switch {
		case t.event.stalls:
			how = "stalls"
		case t.event.zero:
			how = "reads zero"
		}
		note := ""
		if t.event.silent && !t.event.stalls {
			note = ", not recorded"
		}
		fmt.Fprintf(w, "%s%s: %s%s\n", how, from, DecodeEvent(t.event.record()), note)
	}
}
