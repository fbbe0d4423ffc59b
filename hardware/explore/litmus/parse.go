package litmus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
)

// Kind is what an instruction of a test does.
type Kind uint8

// The kinds.
const (
	Read Kind = iota
	Write
	Swap
	ReadWriteExclusive // LDXR and STXR until it succeeds
	Fence
	ISB
	Depend
	SendSGI   // MSR ICC_SGI1R_EL1
	StoreSGIR // a store to a device that raises the interrupt
)

// An Instruction of a thread.
type Instruction struct {
	Kind       Kind
	Text       string
	Location   int
	Value      uint64
	Order      bus.Order // of the access, and of the write of an exclusive pair if that releases
	Fence      bus.Fence
	Dependency mem.Dependency
	Register   int // of a read: its number in the outcome
}

// A Test is one litmus test.
type Test struct {
	Name      string
	Threads   [][]Instruction
	Handler   int // the thread that runs as the handler of an SGI, -1 if none
	Locations []string
	Registers []Register
	Weak      []Term // the outcome that is asked for: all hold
	Allowed   bool
	Note      string
}

// A Register is what a read has read.
type Register struct {
	Thread int
	Text   string // as in the outcome: "R x", "R x'"
}

// A Term of an outcome: a register, or a location's final value, has a value.
type Term struct {
	Slot  int // of the outcome: registers, then locations
	Value uint64
}

// The most that an outcome holds: 16 values of 4 bits.
const (
	valueBits = 4
	maxSlots  = 64 / valueBits
	maxValue  = 1<<valueBits - 1
)

// Parse reads one row: name, threads, outcome, verdict and note between tabs. Without an outcome only the histogram is
// of interest.
func Parse(row string) (*Test, error) {
	fields := append(strings.Split(row, "\t"), "", "", "", "")
	t := &Test{Name: strings.TrimSpace(fields[0]), Handler: -1, Note: strings.TrimSpace(fields[4])}
	for i, text := range strings.Split(fields[1], "|") {
		if err := t.parseThread(i, text); err != nil {
			return nil, fmt.Errorf("%s: thread %d: %w", t.Name, i, err)
		}
	}
	if n := len(t.Registers) + len(t.Locations); n > maxSlots {
		return nil, fmt.Errorf("%s: %d reads and locations: expected at most %d", t.Name, n, maxSlots)
	}
	if err := t.parseOutcome(fields[2]); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	switch verdict := strings.TrimSpace(fields[3]); verdict {
	case "allowed":
		t.Allowed = true
	case "forbidden", "":
	default:
		return nil, fmt.Errorf("%s: verdict %q: expected allowed or forbidden", t.Name, verdict)
	}
	return t, nil
}

func (t *Test) parseThread(number int, text string) error {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "IRQ:"); ok {
		t.Handler, text = number, strings.TrimSpace(rest)
	}
	var thread []Instruction
	for _, part := range strings.Split(text, ";") {
		in, err := t.parseInstruction(number, strings.Fields(part))
		if err != nil {
			return fmt.Errorf("%q: %w", strings.TrimSpace(part), err)
		}
		thread = append(thread, in...)
	}
	t.Threads = append(t.Threads, thread)
	return nil
}

var loads = map[string]bus.Order{"R": bus.Plain, "A": bus.Acquire, "Q": bus.AcquirePC}

var stores = map[string]bus.Order{"W": bus.Plain, "L": bus.Release}

var atomics = map[string]bus.Order{
	"SWP": bus.Plain, "SWPA": bus.Acquire, "SWPL": bus.Release, "SWPAL": bus.AcquireRelease,
}

var exclusives = map[string]bus.Order{
	"LDXR-STXR": bus.Plain, "LDAXR-STXR": bus.Acquire, "LDXR-STLXR": bus.Release, "LDAXR-STLXR": bus.AcquireRelease,
}

var dependencies = map[string]mem.Dependency{
	"addr": mem.AddressDependency, "data": mem.DataDependency, "ctrl": mem.ControlDependency,
	"ctrlisb": mem.ControlDependency,
}

func (t *Test) parseInstruction(thread int, words []string) ([]Instruction, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("empty: expected an instruction")
	}
	in := Instruction{Text: strings.Join(words, " ")}
	if d, ok := dependencies[words[0]]; ok && len(words) == 1 {
		in.Kind, in.Dependency = Depend, d
		if words[0] == "ctrlisb" {
			return []Instruction{in, {Kind: ISB, Text: "isb"}}, nil
		}
		return []Instruction{in}, nil
	}
	switch in.Text {
	case "isb":
		in.Kind = ISB
		return []Instruction{in}, nil
	case "msr SGI1R":
		in.Kind = SendSGI
		return []Instruction{in}, nil
	case "mmio GICD_SGIR":
		in.Kind = StoreSGIR
		return []Instruction{in}, nil
	}
	if build := map[string]func(string) (bus.Fence, bool){"dmb": arm.DMB, "dsb": arm.DSB}[words[0]]; build != nil {
		f, ok := build(words[len(words)-1])
		if !ok {
			return nil, fmt.Errorf("no such barrier: expected one of %s", strings.Join(arm.BarrierOptions(), ", "))
		}
		in.Kind, in.Fence = Fence, f
		return []Instruction{in}, nil
	}
	return t.parseAccess(thread, in, words)
}

func (t *Test) parseAccess(thread int, in Instruction, words []string) ([]Instruction, error) {
	order, isLoad := loads[words[0]]
	in.Kind, in.Order = Read, order
	if !isLoad {
		var known bool
		if in.Kind, in.Order, known = writing(words[0]); !known {
			return nil, fmt.Errorf("unknown instruction %q", words[0])
		}
	}
	want := 3
	if isLoad {
		want = 2
	}
	if len(words) != want {
		return nil, fmt.Errorf("%d words: expected %d", len(words), want)
	}
	if !isLoad {
		v, err := strconv.ParseUint(words[2], 10, 64)
		if err != nil || v > maxValue {
			return nil, fmt.Errorf("value %q: expected 0 to %d", words[2], maxValue)
		}
		in.Value = v
	}
	in.Location = t.location(words[1])
	if in.Kind != Write {
		in.Register = t.register(thread, words[0]+" "+words[1])
	}
	return []Instruction{in}, nil
}

// writing finds an instruction that writes.
func writing(name string) (Kind, bus.Order, bool) {
	if o, ok := stores[name]; ok {
		return Write, o, true
	}
	if o, ok := atomics[name]; ok {
		return Swap, o, true
	}
	o, ok := exclusives[name]
	return ReadWriteExclusive, o, ok
}

func (t *Test) location(name string) int {
	for i, l := range t.Locations {
		if l == name {
			return i
		}
	}
	t.Locations = append(t.Locations, name)
	return len(t.Locations) - 1
}

// register names a read; the second read of the same kind and location gets a prime.
func (t *Test) register(thread int, text string) int {
	for i := 0; i < len(t.Registers); i++ {
		if t.Registers[i] == (Register{thread, text}) {
			text, i = text+"'", -1
		}
	}
	t.Registers = append(t.Registers, Register{thread, text})
	return len(t.Registers) - 1
}

// parseOutcome reads "1:R y=1 & 1:R x=0 & x=2".
func (t *Test) parseOutcome(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for _, part := range strings.Split(text, "&") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		v, err := strconv.ParseUint(value, 10, 64)
		if !ok || err != nil || v > maxValue {
			return fmt.Errorf("outcome %q: expected name=value", part)
		}
		slot := t.slot(name)
		if slot < 0 {
			return fmt.Errorf("outcome %q: no such read and no such location", part)
		}
		t.Weak = append(t.Weak, Term{slot, v})
	}
	return nil
}

// slot finds "1:R y", "IRQ: R x" or "x" in the outcome, -1 if there is none.
func (t *Test) slot(name string) int {
	thread, read, ok := strings.Cut(name, ":")
	if !ok {
		for i, l := range t.Locations {
			if l == name {
				return len(t.Registers) + i
			}
		}
		return -1
	}
	number, err := strconv.Atoi(thread)
	if thread == "IRQ" {
		number, err = t.Handler, nil
	}
	for i, r := range t.Registers {
		if err == nil && r == (Register{number, strings.TrimSpace(read)}) {
			return i
		}
	}
	return -1
}

// Holds reports whether an outcome is the weak one.
func (t *Test) Holds(outcome uint64) bool {
	for _, term := range t.Weak {
		if outcome>>(term.Slot*valueBits)&maxValue != term.Value {
			return false
		}
	}
	return len(t.Weak) > 0
}

// Describe is an outcome in words.
func (t *Test) Describe(outcome uint64) string {
	var parts []string
	for i, r := range t.Registers {
		name := fmt.Sprint(r.Thread)
		if r.Thread == t.Handler {
			name = "IRQ"
		}
		parts = append(parts, fmt.Sprintf("%s:%s=%d", name, r.Text, outcome>>(i*valueBits)&maxValue))
	}
	for i, l := range t.Locations {
		parts = append(parts, fmt.Sprintf("%s=%d", l, outcome>>((len(t.Registers)+i)*valueBits)&maxValue))
	}
	return strings.Join(parts, " ")
}
