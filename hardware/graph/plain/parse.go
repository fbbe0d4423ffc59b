package plain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var testNames = []string{"eq", "ne", "ge", "lt"}

var domainNames = []string{"nsh", "ish", "osh", "sy"}

// computations and accesses name the opcodes in text; accesses take order suffixes as listed in orders.
var (
	computations = []string{"mov", "add", "sub", "eor", "and", "orr", "eq", "ne", "ge"}
	simple       = map[string]Opcode{
		"isb": Isb, "mask": Mask, "unmask": Unmask, "sev": Sev, "wfe": Wfe, "fence.tso": FenceTSO,
	}
	branches = map[string]Opcode{"cbz": Cbz, "cbnz": Cbnz, "b": Branch}
)

// access describes the mnemonic of a memory access.
type access struct {
	name string
	op   Opcode
	a    bool
	q    bool
	l    bool
}

var accesses = []access{
	{name: "ldr", op: Load}, {name: "ldar", op: Load, a: true}, {name: "ldapr", op: Load, q: true},
	{name: "str", op: Store}, {name: "stlr", op: Store, l: true},
	{name: "ldxr", op: LoadExclusive}, {name: "ldaxr", op: LoadExclusive, a: true},
	{name: "stxr", op: StoreExclusive}, {name: "stlxr", op: StoreExclusive, l: true},
	{name: "swp", op: Swp}, {name: "swpa", op: Swp, a: true}, {name: "swpl", op: Swp, l: true},
	{name: "swpal", op: Swp, a: true, l: true},
	{name: "ldadd", op: Ldadd}, {name: "ldadda", op: Ldadd, a: true}, {name: "ldaddl", op: Ldadd, l: true},
	{name: "ldaddal", op: Ldadd, a: true, l: true},
	{name: "cas", op: Cas}, {name: "casa", op: Cas, a: true}, {name: "casl", op: Cas, l: true},
	{name: "casal", op: Cas, a: true, l: true},
	{name: "wait", op: Wait}, {name: "waita", op: Wait, a: true}, {name: "waitq", op: Wait, q: true},
}

// parser holds what is being read.
type parser struct {
	p      Program
	labels map[string]int // Of the code being read.
	uses   map[int]string // Instruction to the label it names.
	code   *[]Instr       // Where instructions go.
	line   int
}

// Parse reads a program; the package comment has the language. An error names the line.
func Parse(text string) (*Program, error) {
	r := &parser{}
	for i, line := range strings.Split(text, "\n") {
		r.line = i + 1
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(strings.ReplaceAll(line, ",", " "))
		if len(words) == 0 {
			continue
		}
		if err := r.statement(words); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", r.line, strings.TrimSpace(line), err)
		}
	}
	if err := r.resolve(); err != nil {
		return nil, err
	}
	return &r.p, r.p.check()
}

func (r *parser) statement(words []string) error {
	switch words[0] {
	case "cell", "device":
		if len(words) != 3 || len(r.p.Threads) > 0 {
			return fmt.Errorf("want %s NAME VALUE before the first thread", words[0])
		}
		value, err := strconv.ParseUint(words[2], 0, 64)
		r.p.Cells = append(r.p.Cells, Cell{Name: words[1], Init: value, Device: words[0] == "device"})
		return err
	case "thread":
		if err := r.resolve(); err != nil {
			return err
		}
		r.p.Threads = append(r.p.Threads, Thread{})
		r.code = &r.p.Threads[len(r.p.Threads)-1].Code
		return nil
	case "handler":
		if err := r.resolve(); err != nil {
			return err
		}
		return r.handler(words)
	}
	if r.code == nil {
		return fmt.Errorf("an instruction before the first thread")
	}
	if label, ok := strings.CutSuffix(words[0], ":"); ok && len(words) == 1 {
		r.labels[label] = len(*r.code)
		return nil
	}
	in, err := r.instruction(words[0], words[1:])
	*r.code = append(*r.code, in)
	return err
}

func (r *parser) handler(words []string) error {
	if len(words) != 2 || len(r.p.Threads) == 0 {
		return fmt.Errorf("want handler INTID after a thread")
	}
	intid, err := strconv.Atoi(words[1])
	t := &r.p.Threads[len(r.p.Threads)-1]
	t.Handlers = append(t.Handlers, Handler{INTID: intid})
	r.code = &t.Handlers[len(t.Handlers)-1].Code
	return err
}

// resolve ends a piece of code: its branches find their labels.
func (r *parser) resolve() error {
	if r.code != nil {
		for i := range *r.code {
			name, ok := r.uses[i]
			if !ok {
				continue
			}
			target, ok := r.labels[name]
			if !ok || target <= i {
				return fmt.Errorf("before line %d: no label %q further on", r.line, name)
			}
			(*r.code)[i].Target = target
		}
	}
	r.labels, r.uses = map[string]int{}, map[int]string{}
	return nil
}

func (r *parser) instruction(name string, args []string) (Instr, error) {
	in := Instr{Rd: none, A: Operand{Reg: none}, B: Operand{Reg: none}, Addr: Address{Reg: none}, Passed: none}
	if op, ok := simple[name]; ok {
		in.Op = op
		return in, want(args, 0)
	}
	if op, ok := branches[name]; ok {
		in.Op = op
		return in, r.branch(&in, args)
	}
	for i, c := range computations {
		if c == name {
			in.Op = Mov + Opcode(i)
			return in, r.compute(&in, args)
		}
	}
	switch name {
	case "dmb", "dsb":
		in.Op = Dmb
		if name == "dsb" {
			in.Op = Dsb
		}
		return in, barrier(&in, args)
	case "fence":
		in.Op = Fence
		return in, fence(&in, args)
	case "sgi", "ring":
		in.Op = Sgi
		if name == "ring" {
			in.Op = Ring
		}
		return in, signal(&in, args)
	}
	dot := max(0, strings.LastIndexByte(name, '.'))
	stem, size := name[:dot], strings.TrimPrefix(name[dot:], ".")
	for _, a := range slices.Concat(accesses, accessesRISCV) {
		if a.name == stem {
			in.Op, in.Acquire, in.AcqPC, in.Release = a.op, a.a, a.q, a.l
			return in, r.access(&in, size, args)
		}
	}
	return in, fmt.Errorf("unknown instruction %q", name)
}

func want(args []string, n int) error {
	if len(args) != n {
		return fmt.Errorf("%d operands, want %d", len(args), n)
	}
	return nil
}

func (r *parser) branch(in *Instr, args []string) error {
	n := 2
	if in.Op == Branch {
		n = 1
	}
	if err := want(args, n); err != nil {
		return err
	}
	r.uses[len(*r.code)] = args[n-1]
	if n == 1 {
		return nil
	}
	return operand(&in.A, args[0])
}

func (r *parser) compute(in *Instr, args []string) error {
	n := 3
	if in.Op == Mov {
		n = 2
	}
	if err := want(args, n); err != nil {
		return err
	}
	if n == 3 {
		if err := operand(&in.B, args[2]); err != nil {
			return err
		}
	}
	return first(register(&in.Rd, args[0]), operand(&in.A, args[1]))
}

// barrier reads the option of a DMB or DSB. DDI 0487, C6.2, DMB.
func barrier(in *Instr, args []string) error {
	if err := want(args, 1); err != nil {
		return err
	}
	option := args[0]
	if option == "st" || option == "ld" {
		option = "sy" + option
	}
	for i, d := range domainNames {
		if kind, ok := strings.CutPrefix(option, d); ok && (kind == "" || kind == "st" || kind == "ld") {
			in.Domain, in.Loads, in.Stores = Domain(i), kind != "st", kind != "ld"
			return nil
		}
	}
	return fmt.Errorf("unknown barrier option %q", args[0])
}

func signal(in *Instr, args []string) error {
	if err := want(args, 2); err != nil {
		return err
	}
	target, err := strconv.Atoi(args[0])
	intid, err2 := strconv.Atoi(args[1])
	in.Target, in.INTID = target, intid
	return first(err, err2)
}

// access reads the operands of a memory access, whose order depends on the opcode.
func (r *parser) access(in *Instr, size string, args []string) error {
	n, err := strconv.Atoi(size)
	if err != nil || n != 1 && n != 2 && n != 4 && n != 8 {
		return fmt.Errorf("size %q, want 1, 2, 4 or 8", size)
	}
	in.Size = n
	switch in.Op {
	case Load, LoadExclusive, LoadReserved:
		return first(want(args, 2), func() error { return first(register(&in.Rd, args[0]), r.address(in, args[1])) })
	case Store:
		return first(want(args, 2), func() error { return first(operand(&in.A, args[0]), r.address(in, args[1])) })
	case Cas:
		return first(want(args, 4), func() error {
			return first(register(&in.Rd, args[0]), operand(&in.A, args[1]), operand(&in.B, args[2]), r.address(in, args[3]))
		})
	case Wait:
		return r.wait(in, args)
	default:
		return first(want(args, 3), func() error {
			return first(register(&in.Rd, args[0]), operand(&in.A, args[1]), r.address(in, args[2]))
		})
	}
}

func (r *parser) wait(in *Instr, args []string) error {
	if len(args) == 5 {
		if err := register(&in.Passed, args[4]); err != nil {
			return err
		}
		args = args[:4]
	}
	if err := want(args, 4); err != nil {
		return err
	}
	for i, name := range testNames {
		if name == args[2] {
			in.Test = Test(i)
			return first(register(&in.Rd, args[0]), r.address(in, args[1]), operand(&in.A, args[3]))
		}
	}
	return fmt.Errorf("unknown test %q", args[2])
}

// first returns the first error of errors and of functions that are called until one fails.
func first(steps ...any) error {
	for _, s := range steps {
		switch s := s.(type) {
		case error:
			return s
		case func() error:
			if err := s(); err != nil {
				return err
			}
		}
	}
	return nil
}

func register(rd *int, word string) error {
	if word == "zr" {
		*rd = ZR
		return nil
	}
	number, ok := strings.CutPrefix(word, "r")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n >= registers {
		return fmt.Errorf("register %q, want r0 to r%d or zr", word, registers-1)
	}
	*rd = n
	return nil
}

func operand(o *Operand, word string) error {
	o.Reg = none
	if strings.HasPrefix(word, "r") || word == "zr" {
		return register(&o.Reg, word)
	}
	var err error
	o.Imm, err = strconv.ParseUint(word, 0, 64)
	return err
}

// address reads [cell], [cell+4], [cell+r1] and [cell+4+r1].
func (r *parser) address(in *Instr, word string) error {
	inner, ok := strings.CutPrefix(word, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 {
		return fmt.Errorf("address %q, want [cell+offset+register]", word)
	}
	parts := strings.Split(inner, "+")
	in.Addr = Address{Cell: none, Reg: none}
	for i := range r.p.Cells {
		if r.p.Cells[i].Name == parts[0] {
			in.Addr.Cell = i
		}
	}
	if in.Addr.Cell < 0 {
		return fmt.Errorf("unknown cell %q", parts[0])
	}
	for _, part := range parts[1:] {
		var o Operand
		if err := operand(&o, part); err != nil {
			return err
		}
		if o.Reg >= 0 {
			in.Addr.Reg = o.Reg
		}
		in.Addr.Off += o.Imm
	}
	return nil
}
