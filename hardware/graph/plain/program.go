package plain

import "fmt"

// Opcode names an instruction.
type Opcode uint8

// The instructions. Load to Cas access memory; Mov to Ge compute; from Fence on they are RISC-V's.
const (
	Load Opcode = iota
	Store
	LoadExclusive
	StoreExclusive
	Swp
	Ldadd
	Cas
	Wait
	Dmb
	Dsb
	Isb
	Mov
	Add
	Sub
	Eor
	And
	Orr
	Eq
	Ne
	Ge
	Cbz
	Cbnz
	Branch
	Sgi
	Ring
	Mask
	Unmask
	Sev
	Wfe
	Fence
	FenceTSO
	LoadReserved
	StoreConditional
	AmoSwap
	AmoAdd
)

// Test is the predicate of a wait.
type Test uint8

// What a wait waits for: value equal to, different from, at least, below the operand (unsigned).
const (
	TestEq Test = iota
	TestNe
	TestGe
	TestLt
)

// Domain is how far a barrier reaches.
type Domain uint8

// The shareability domains of DMB and DSB.
const (
	NSH Domain = iota
	ISH
	OSH
	SY
)

// ZR is the zero register; none stands where an instruction has no register.
const (
	none = -1
	ZR   = 31

	registers = 16
	cellBytes = 8
)

// Operand is a register, or a constant if Reg is negative.
type Operand struct {
	Reg int
	Imm uint64
}

// Address is a byte in a cell, moved by the value of a register unless Reg is negative.
type Address struct {
	Cell int
	Off  uint64
	Reg  int
}

// Instr is one instruction. Fields that its opcode does not use are zero, registers -1.
type Instr struct {
	Op      Opcode
	Size    int // Bytes: 1, 2, 4, 8.
	Acquire bool
	AcqPC   bool
	Release bool

	Rd     int     // Destination; status of a StoreExclusive.
	A, B   Operand // Value; Cas: A expected, B new; Wait: A compared with.
	Addr   Address
	Test   Test
	Passed int // Wait: the register told whether the deadline passed, or -1: no deadline.

	Domain        Domain
	Loads, Stores bool // Which earlier accesses a barrier orders; both for the plain form.
	Pred, Succ    Kinds

	Target int // Branch: index of an instruction; Sgi, Ring: thread.
	INTID  int
}

// Cell is eight bytes of memory, or the state of a device.
type Cell struct {
	Name   string
	Init   uint64
	Device bool
}

// Handler is what a thread runs when it takes an interrupt.
type Handler struct {
	INTID int
	Code  []Instr
}

// Thread is one program and its handlers.
type Thread struct {
	Code     []Instr
	Handlers []Handler
}

// Program is what is enumerated. Cell i lies at address 8*i.
type Program struct {
	Cells   []Cell
	Threads []Thread
}

// waits reports whether a thread has a WFE, and so an event register that matters.
func (t *Thread) waits() bool {
	all := [][]Instr{t.Code}
	for _, h := range t.Handlers {
		all = append(all, h.Code)
	}
	for _, code := range all {
		for i := range code {
			if code[i].Op == Wfe {
				return true
			}
		}
	}
	return false
}

// holds applies the predicate of a wait.
func (t Test) holds(value, operand uint64) bool {
	switch t {
	case TestEq:
		return value == operand
	case TestNe:
		return value != operand
	case TestGe:
		return value >= operand
	default:
		return value < operand
	}
}

// check refuses programs that mean nothing.
func (p *Program) check() error {
	for t := range p.Threads {
		thread := &p.Threads[t]
		if err := p.checkCode(t, thread.Code); err != nil {
			return err
		}
		main := mentioned(thread.Code)
		for _, h := range thread.Handlers {
			if err := p.checkCode(t, h.Code); err != nil {
				return err
			}
			for r, used := range mentioned(h.Code) {
				if used && main[r] {
					return fmt.Errorf("thread %d: handler %d shares r%d with the program that it interrupts", t, h.INTID, r)
				}
			}
		}
	}
	return nil
}

// mentioned reports which registers code reads or sets.
func mentioned(code []Instr) [registers]bool {
	var used [registers]bool
	for i := range code {
		in := &code[i]
		for _, r := range []int{in.Rd, in.Passed, in.A.Reg, in.B.Reg, in.Addr.Reg} {
			if r >= 0 && r < registers {
				used[r] = true
			}
		}
	}
	return used
}

func (p *Program) checkCode(t int, code []Instr) error {
	for i := range code {
		in := &code[i]
		if (in.Op == Sgi || in.Op == Ring) && (in.Target < 0 || in.Target >= len(p.Threads)) {
			return fmt.Errorf("thread %d, instruction %d: no thread %d to interrupt", t, i, in.Target)
		}
	}
	return nil
}
