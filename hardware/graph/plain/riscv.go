package plain

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds is a set of kinds of access, as the FENCE of RISC-V has them.
type Kinds uint8

// The kinds: device input and output, memory read and written.
const (
	KindW Kinds = 1 << iota
	KindR
	KindO
	KindI

	kindLetters = "wroi"
)

var accessesRISCV = []access{
	{name: "lr", op: LoadReserved}, {name: "lr.aq", op: LoadReserved, a: true},
	{name: "lr.rl", op: LoadReserved, l: true}, {name: "lr.aqrl", op: LoadReserved, a: true, l: true},
	{name: "sc", op: StoreConditional}, {name: "sc.aq", op: StoreConditional, a: true},
	{name: "sc.rl", op: StoreConditional, l: true}, {name: "sc.aqrl", op: StoreConditional, a: true, l: true},
	{name: "amoswap", op: AmoSwap}, {name: "amoswap.aq", op: AmoSwap, a: true},
	{name: "amoswap.rl", op: AmoSwap, l: true}, {name: "amoswap.aqrl", op: AmoSwap, a: true, l: true},
	{name: "amoadd", op: AmoAdd}, {name: "amoadd.aq", op: AmoAdd, a: true},
	{name: "amoadd.rl", op: AmoAdd, l: true}, {name: "amoadd.aqrl", op: AmoAdd, a: true, l: true},
}

// fence reads the two sets of a FENCE.
func fence(in *Instr, args []string) error {
	if err := want(args, 2); err != nil {
		return err
	}
	return first(kinds(&in.Pred, args[0]), kinds(&in.Succ, args[1]))
}

func kinds(k *Kinds, word string) error {
	for _, letter := range word {
		bit := strings.IndexRune(kindLetters, letter)
		if bit < 0 || *k>>bit&1 != 0 {
			return fmt.Errorf("fence set %q, want some of i, o, r, w", word)
		}
		*k |= 1 << bit
	}
	return nil
}

// String writes a set as Parse reads it.
func (k Kinds) String() string {
	text := ""
	for bit := len(kindLetters) - 1; bit >= 0; bit-- {
		if k>>bit&1 != 0 {
			text += kindLetters[bit : bit+1]
		}
	}
	return text
}

// The instructions of one architecture alone. Waits with an order are LDAR and LDAPR.
var (
	armOnly = []Opcode{
		LoadExclusive, StoreExclusive, Swp, Ldadd, Cas, Dmb, Dsb, Isb, Sgi, Sev, Wfe,
	}
	riscvOnly = []Opcode{Fence, FenceTSO, LoadReserved, StoreConditional, AmoSwap, AmoAdd}
)

// foreign refuses instructions that mean nothing under a model. SC and TSO take those of both architectures.
func (p *Program) foreign(m Model) error {
	var strange []Opcode
	switch m {
	case Arm:
		strange = riscvOnly
	case RVWMO:
		strange = armOnly
	}
	for t := range p.Threads {
		all := [][]Instr{p.Threads[t].Code}
		for _, h := range p.Threads[t].Handlers {
			all = append(all, h.Code)
		}
		for _, in := range slices.Concat(all...) {
			ordered := (in.Op == Load || in.Op == Store || in.Op == Wait) && (in.Acquire || in.AcqPC || in.Release)
			if slices.Contains(strange, in.Op) || m == RVWMO && ordered {
				return fmt.Errorf("thread %d: %q is of another architecture", t, p.instruction(&in))
			}
		}
	}
	return nil
}
