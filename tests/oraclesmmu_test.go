package tests

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// smmuTarget is the recorded machine's SMMU with its memory and the device behind it, which makes its accesses in words
// of 4 bytes, as the recorded one does where they fault.
type smmuTarget struct {
	t      *testing.T
	eng    *sim.Engine
	memory *mem.Memory
	smmu   *smmuv3.SMMU
	dev    *smmuv3.Request
	buffer [4096]byte
	inputs []inputChange
}

// The recorded machine's memory, and the inputs of its SMMU.
const (
	oracleRAM                      = 0x4000_0000
	eventInput, syncInput, errorIn = 0x6a, 0x6c, 0x6d
)

// smmuInput is an interrupt input.
type smmuInput struct {
	g  *smmuTarget
	id uint64
}

func (l smmuInput) SetLine(level bool) { l.g.inputs = append(l.g.inputs, inputChange{l.id, level}) }

// oracleSMMUSpec is what the identification registers of the recorded SMMU say.
func oracleSMMUSpec() smmuv3.Spec {
	s := smmuv3.DefaultSpec()
	s.Stage2, s.MSI, s.SEV, s.VMID16, s.TwoLevelCDs = false, false, false, false, false
	s.StallModel, s.StallMax, s.AbortOnly = smmu.TerminateOnly, 0, true
	s.RIL, s.BBML, s.SSIDBits, s.OAS, s.IIDR = true, 2, 0, smmu.Address44, 0
	s.PIDR = [5]uint8{0x84, 0xb4, 0xf0, 0x10, 0x04}
	return s
}

func newSMMUTarget(t *testing.T) *smmuTarget {
	t.Helper()
	g := &smmuTarget{t: t, eng: sim.NewEngine()}
	m, err := mem.New(mem.Spec{Base: oracleRAM, Size: 256 << 20, Places: make([]mem.Place, 1), DiesPerSocket: 1},
		func(int, sim.Time) {})
	if err != nil {
		t.Fatal(err)
	}
	g.memory = m
	master := &bus.Master{Name: "SMMU"}
	lines := smmuv3.Lines{Event: smmuInput{g, eventInput}, Sync: smmuInput{g, syncInput}, Global: smmuInput{g, errorIn}}
	g.smmu, err = smmuv3.New(oracleSMMUSpec(), g.eng, master, m.NewPort(master, mem.Place{}, nil), lines, nil)
	if err != nil {
		t.Fatal(err)
	}
	g.dev = g.smmu.NewRequest(g, "device")
	return g
}

func (g *smmuTarget) Answered(*smmuv3.Request, sim.Time) {}

func (g *smmuTarget) settle() {
	if err := g.eng.Drive(nil); err != nil {
		g.t.Fatal(err)
	}
}

func (g *smmuTarget) read(addr uint64, w bus.Width) uint64 {
	v, _ := g.smmu.ReadReg(addr-oracleSMMU, w)
	return v
}

func (g *smmuTarget) write(addr uint64, w bus.Width, v uint64) {
	g.smmu.WriteReg(addr-oracleSMMU, w, v)
	g.settle()
}

// access makes one access of the device, in words.
func (g *smmuTarget) access(sid uint64, op bus.Op, addr uint64, b []byte) {
	for len(b) > 0 {
		n := min(4-int(addr%4), len(b))
		g.dev.Transaction = bus.Transaction{
			Master: &bus.Master{Name: "device", StreamID: uint32(sid)}, Addr: bus.Addr(addr), Len: uint8(n), Op: op,
			Attr: bus.Normal,
		}
		g.dev.Attr.Privileged = false
		var word [8]byte
		copy(word[:], b[:n])
		g.dev.Data[0] = binary.LittleEndian.Uint64(word[:])
		g.dev.Submit()
		g.settle()
		if op == bus.Read {
			binary.LittleEndian.PutUint64(word[:], g.dev.Data[0])
			copy(b[:n], word[:])
		}
		addr, b = addr+uint64(n), b[n:]
	}
}

// perform makes an operation, and is what it has read: the recorded text of it, or ours.
func (g *smmuTarget) perform(op *traceOp) (same bool, ours uint64, text string) {
	inSMMU := op.addr >= oracleSMMU && op.addr < oracleSMMU+uint64(smmu.FrameSize)
	switch op.kind {
	case "reset":
		g.smmu.Reset()
	case "zero", "wmem":
		b := op.bytes
		if op.kind == "zero" {
			b = make([]byte, op.value)
		}
		for i, v := range b {
			g.memory.Poke(op.addr+uint64(i), 1, uint64(v))
		}
	case "rmem":
		b := g.bytes(op)
		return slices.Equal(b, op.bytes), 0, hex.EncodeToString(b)
	case "w":
		if inSMMU { // else the GIC, whose doorbell is not looked at
			g.write(op.addr, bus.Width(op.width), op.value)
		}
	case "r":
		v := g.read(op.addr, bus.Width(op.width))
		return v == op.value, v, fmt.Sprintf("%x", v)
	case "irq":
		if len(g.inputs) == 0 {
			return false, 0, "no change"
		}
		first := g.inputs[0]
		if first.id != op.addr || first.level != (op.value != 0) {
			return false, 0, fmt.Sprintf("%x %v", first.id, first.level)
		}
		g.inputs = g.inputs[1:]
	case "dma":
		way := bus.Read
		if op.reg == "wr" {
			way = bus.Write
		}
		g.access(op.sid, way, op.addr, g.buffer[:op.value])
	case "msi":
		var word [4]byte
		binary.LittleEndian.PutUint32(word[:], uint32(op.value))
		g.access(op.sid, bus.Write, op.addr, word[:])
	default:
		g.t.Fatalf("operation %s", op.kind)
	}
	return true, 0, ""
}

// TestOracleSMMU replays the recorded SMMU. What is masked is counted, and the counts are part of the test.
func TestOracleSMMU(t *testing.T) {
	f, err := os.Open("testdata/oracle/smmu.trace")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sections, err := parseTrace(f)
	if err != nil || len(sections) == 0 {
		t.Fatalf("%d sections: %v", len(sections), err)
	}
	counts := make([]int, len(smmuMasks))
	matched, different := 0, 0
	for i := range sections {
		t.Run(sections[i].name, func(t *testing.T) {
			g := newSMMUTarget(t)
			for j := range sections[i].ops {
				op := &sections[i].ops[j]
				if m := skippedBy(sections[i].name, op); m >= 0 {
					if counts[m]++; smmuMasks[m].instead == nil {
						continue
					}
					smmuMasks[m].instead(op)
				}
				same, ours, text := g.perform(op)
				mask := -1
				if !same {
					mask = slices.IndexFunc(smmuMasks, func(m smmuMask) bool {
						return m.excuses != nil && m.excuses(g, sections[i].name, op, ours)
					})
				}
				switch {
				case same:
					matched++
				case mask >= 0:
					counts[mask]++
				default:
					different++
					t.Errorf("smmu.trace:%d: %s: ours %s", op.line, op.text, text)
				}
			}
		})
	}
	t.Logf("matched %d, different %d", matched, different)
	for i, m := range smmuMasks {
		t.Logf("masked %d: %s: %s", counts[i], m.what, m.reason)
		if counts[i] != m.count {
			t.Errorf("mask %q is used %d times, expected %d", m.what, counts[i], m.count)
		}
	}
}

// A smmuMask excuses differences, or leaves operations out, where the recorder departs from the architecture.
type smmuMask struct {
	what, reason string
	count        int
	excuses      func(g *smmuTarget, section string, op *traceOp, ours uint64) bool
	skips        func(section string, op *traceOp) bool
	instead      func(op *traceOp) // what is done with an operation that is not left out but changed
}

func skippedBy(section string, op *traceOp) int {
	return slices.IndexFunc(smmuMasks, func(m smmuMask) bool { return m.skips != nil && m.skips(section, op) })
}

// smmuKept are the bits of registers that exist on the recorded SMMU, by its own identification registers: without MSI,
// PRI, ATS, HYP, BTM and VMW, and while no error is active.
var smmuKept = map[uint64]uint64{
	smmu.SMMU_CR0: 0xd, smmu.SMMU_CR0ACK: 0xd, smmu.SMMU_CR1: 0xfff, smmu.SMMU_CR2: 0x2,
	smmu.SMMU_IRQ_CTRL: 0x5, smmu.SMMU_IRQ_CTRLACK: 0x5, smmu.SMMU_GERRORN: 0,
	smmu.SMMU_GERROR_IRQ_CFG0: 0, smmu.SMMU_GERROR_IRQ_CFG1: 0, smmu.SMMU_GERROR_IRQ_CFG2: 0,
	smmu.SMMU_STRTAB_BASE:     uint64(smmu.SMMU_STRTAB_BASE_ADDR | smmu.SMMU_STRTAB_BASE_RA),
	smmu.SMMU_STRTAB_BASE_CFG: 0x307ff,
	smmu.SMMU_CMDQ_BASE:       uint64(smmu.SMMU_CMDQ_BASE_ADDR|smmu.SMMU_CMDQ_BASE_RA) | 19,
	smmu.SMMU_EVENTQ_BASE:     uint64(smmu.SMMU_EVENTQ_BASE_ADDR|smmu.SMMU_EVENTQ_BASE_WA) | 19,
	smmu.SMMU_CMDQ_PROD:       0xfffff, smmu.SMMU_CMDQ_CONS: 0x7f0fffff,
	smmu.SMMU_EVENTQ_PROD: 0x800fffff, smmu.SMMU_EVENTQ_CONS: 0x800fffff,
}

// keptBits are those of an access, which may be to the upper half of a register.
func keptBits(op *traceOp) (uint64, bool) {
	off := op.addr - oracleSMMU
	if kept, ok := smmuKept[off]; ok {
		return kept & bus.Width(op.width).Mask(), true
	}
	kept, ok := smmuKept[off-4]
	return kept >> 32, ok && off%8 == 4 && kept>>32 != 0
}

// sameRecord compares records but for some bits of one word.
func sameRecord(recorded, ours []byte, word int, mask uint64) bool {
	for i := range len(recorded) / 8 {
		a, b := binary.LittleEndian.Uint64(recorded[8*i:]), binary.LittleEndian.Uint64(ours[8*i:])
		if i == word {
			a, b = a&^mask, b&^mask
		}
		if a != b {
			return false
		}
	}
	return true
}

const stage1Section = "stage 1 translation and its events"

var smmuMasks = []smmuMask{
	{
		what: "registers", count: 32,
		reason: "recorder keeps every bit; IHI 0070, 6.3: what does not exist is RES0",
		excuses: func(_ *smmuTarget, section string, op *traceOp, ours uint64) bool {
			kept, ok := keptBits(op)
			return section == "registers" && op.kind == "r" && ok && ours == op.value&kept
		},
	},
	{
		what: "SMMU_CMDQ_BASE, SMMU_EVENTQ_BASE at reset", count: 2,
		reason: "recorder shows the largest size; IHI 0070, 6.3.26: UNKNOWN",
		excuses: func(_ *smmuTarget, section string, op *traceOp, ours uint64) bool {
			off := op.addr - oracleSMMU
			return section == "registers" && (off == smmu.SMMU_CMDQ_BASE || off == smmu.SMMU_EVENTQ_BASE) &&
				op.value == 0x13 && ours == 0
		},
	},
	{
		what: "pages 0 and 1", count: 8,
		reason: "recorder has both pages in one; IHI 0070, 6.1: the Event queue's pointers are on page 1, others on page 0",
		excuses: func(_ *smmuTarget, section string, op *traceOp, ours uint64) bool {
			off, page1 := op.addr-oracleSMMU, uint64(smmu.PageSize)
			pointers := off == smmu.SMMU_EVENTQ_PROD-page1 || off == smmu.SMMU_EVENTQ_CONS-page1
			return section == "registers" && ours == 0 && (pointers || off == page1 || off == page1+smmu.SMMU_PIDR4)
		},
	},
	{
		what: "SMMU_GBPA", count: 4,
		reason: "recorder has none; IHI 0070, 6.3.14: it is always there, and ABORT aborts",
		excuses: func(_ *smmuTarget, section string, op *traceOp, ours uint64) bool {
			if op.kind == "rmem" {
				return section == "SMMU disabled: bypass, then GBPA abort" && op.addr == 0x43000140
			}
			return op.addr-oracleSMMU == smmu.SMMU_GBPA && (ours == 0x1f3f1f || ours == uint64(smmu.SMMU_GBPA_ABORT))
		},
	},
	{
		what: "SMMU_GERRORN", count: 1,
		reason: "recorder keeps bits whose error is not active; IHI 0070, 6.3.19: CONSTRAINED UNPREDICTABLE, here ignored",
		excuses: func(g *smmuTarget, section string, op *traceOp, ours uint64) bool {
			return section == "illegal command, recovery" && op.addr-oracleSMMU == smmu.SMMU_GERRORN && op.value == 0x1ff &&
				ours == g.read(oracleSMMU+smmu.SMMU_GERROR, bus.W32)
		},
	},
	{
		what: "commands of features that are not there", count: 24,
		reason: "recorder consumes them; IHI 0070, 4.1 and 7.1: CERROR_ILL",
		excuses: func(_ *smmuTarget, section string, op *traceOp, ours uint64) bool {
			switch off := op.addr - oracleSMMU; {
			case !strings.HasPrefix(section, "command ") || !strings.HasSuffix(section, " alone on this SMMU"):
				return false
			case off == smmu.SMMU_CMDQ_CONS:
				return ours == smmu.SMMU_CMDQ_CONS_ERR.Put(0, uint64(smmu.CERROR_ILL))
			default:
				return off == smmu.SMMU_GERROR && ours == uint64(smmu.SMMU_GERROR_CMDQ_ERR)
			}
		},
	},
	{
		what: "CLASS", count: 15,
		reason: "recorder says 0, CD fetch; IHI 0070, 7.3: 2, the input address (QEMU 2731ea049d13)",
		excuses: func(g *smmuTarget, _ string, op *traceOp, _ uint64) bool {
			if op.kind != "rmem" || op.value != 32 || op.bytes[0] < byte(smmu.F_TRANSLATION) {
				return false
			}
			ours := g.memory.Peek(op.addr+8, 8)
			class := smmu.EVT1_CLASS.Put(0, uint64(smmu.ClassIN))
			return ours&uint64(smmu.EVT1_CLASS) == class && sameRecord(op.bytes, g.bytes(op), 1, uint64(smmu.EVT1_CLASS))
		},
	},
	{
		what: "F_CD_FETCH", count: 1,
		reason: "recorder has the address in the third word, where other events have the input; IHI 0070, 7.3: the fourth",
		excuses: func(g *smmuTarget, _ string, op *traceOp, _ uint64) bool {
			if op.kind != "rmem" || op.value != 32 || op.bytes[0] != byte(smmu.F_CD_FETCH) {
				return false
			}
			ours := g.bytes(op)
			return slices.Equal(op.bytes[16:24], ours[24:]) && slices.Equal(op.bytes[:16], ours[:16])
		},
	},
	{
		what: "accesses with the access flag clear, or an output too large", count: 2,
		reason: "recorder has no F_ACCESS and no F_ADDR_SIZE: left out, since records would move; hardware/smmuv3 tests them",
		skips: func(section string, op *traceOp) bool {
			return section == stage1Section && op.kind == "dma" && (op.addr == 0x3010 || op.addr == 0x4000)
		},
	},
	{
		what: "what these have read", count: 2,
		reason: "as above: the device's buffer holds something else",
		excuses: func(_ *smmuTarget, section string, op *traceOp, _ uint64) bool {
			return section == stage1Section && op.kind == "rmem" && op.value == 8 &&
				(op.addr == 0x43000420 || op.addr == 0x43000428)
		},
	},
	{
		what: "an address of the upper half, with EPD1", count: 1,
		reason: "recorder reports nothing; IHI 0070, 5.4: F_TRANSLATION. Left out, since records would move",
		skips: func(section string, op *traceOp) bool {
			return section == stage1Section && op.kind == "dma" && op.addr == 0xffffffff80000000
		},
	},
	{
		what: "a table beyond CD.IPS", count: 1,
		reason: "recorder goes there, F_WALK_EABT; IHI 0070, 3.4.3: F_ADDR_SIZE",
		excuses: func(g *smmuTarget, section string, op *traceOp, _ uint64) bool {
			return section == stage1Section && op.kind == "rmem" && op.bytes[0] == byte(smmu.F_WALK_EABT) &&
				g.bytes(op)[0] == byte(smmu.F_ADDR_SIZE)
		},
	},
	{
		what: "nG of pages", count: 18,
		reason: "recorder takes every page for one of its ASID; DDI 0487, D8: those without nG are global. They are given nG",
		skips: func(section string, op *traceOp) bool {
			return section == "translation cache: what a change without maintenance does" && op.kind == "wmem" &&
				op.addr>>12 == 0x42302
		},
		instead: func(op *traceOp) { op.bytes[1] |= byte(a64.PTE_nG >> 8) },
	},
	{
		what: "interrupts of the Event queue", count: 14,
		reason: "recorder sends one for each record; IHI 0070, 7.2: when the queue is no longer empty",
		excuses: func(g *smmuTarget, _ string, op *traceOp, _ uint64) bool {
			page1 := uint64(oracleSMMU)
			waiting := g.read(page1+smmu.SMMU_EVENTQ_PROD, bus.W32) - g.read(page1+smmu.SMMU_EVENTQ_CONS, bus.W32)
			return op.kind == "irq" && op.addr == eventInput && len(g.inputs) == 0 && waiting >= 2
		},
	},
}

// bytes is what our memory has where an operation reads.
func (g *smmuTarget) bytes(op *traceOp) []byte {
	b := make([]byte, op.value)
	for i := range b {
		b[i] = byte(g.memory.Peek(op.addr+uint64(i), 1))
	}
	return b
}
