package litmus

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

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

// A SyntaxError says where a row does not parse.
type SyntaxError struct {
	Test   string
	Field  string // of the row: threads, outcome or verdict
	Column int    // in the field, from 1, in bytes
	Token  string // "" where the text ends too early
	Want   string
}

func (e *SyntaxError) Error() string {
	got := "nothing"
	if e.Token != "" {
		got = strconv.Quote(e.Token)
	}
	return fmt.Sprintf("%s: %s, column %d: %s: expected %s", e.Test, e.Field, e.Column, got, e.Want)
}

// token is a piece of a field, at an offset in it.
type token struct {
	text string
	at   int
}

// wrong is the error that a token is.
func (k token) wrong(format string, args ...any) *SyntaxError {
	return &SyntaxError{Column: k.at + 1, Token: k.text, Want: fmt.Sprintf(format, args...)}
}

// from is the rest of a token behind its first n bytes, without space around it.
func (k token) from(n int) token {
	rest := strings.TrimLeftFunc(k.text[n:], unicode.IsSpace)
	return token{strings.TrimSpace(rest), k.at + len(k.text) - len(rest)}
}

// split is the token between separators, without space around the pieces.
func (k token) split(separator string) (pieces []token) {
	at := k.at
	for _, text := range strings.Split(k.text, separator) {
		pieces = append(pieces, token{text, at}.from(0))
		at += len(text) + len(separator)
	}
	return pieces
}

// words are the token's words.
func (k token) words() (words []token) {
	for rest := k.from(0); rest.text != ""; {
		n := strings.IndexFunc(rest.text, unicode.IsSpace)
		if n < 0 {
			return append(words, rest)
		}
		words = append(words, token{rest.text[:n], rest.at})
		rest = rest.from(n)
	}
	return words
}

// Parse reads one row: name, threads, outcome, verdict and note between tabs. Without an outcome only the histogram is
// of interest. The error is a *SyntaxError.
func Parse(row string) (*Test, error) {
	fields := append(strings.Split(row, "\t"), "", "", "", "")
	t := &Test{Name: strings.TrimSpace(fields[0]), Handler: -1, Note: strings.TrimSpace(fields[4])}
	for i, field := range []struct {
		name  string
		parse func(text token) *SyntaxError
	}{{"threads", t.parseThreads}, {"outcome", t.parseOutcome}, {"verdict", t.parseVerdict}} {
		if err := field.parse(token{text: fields[1+i]}); err != nil {
			err.Test, err.Field = t.Name, field.name
			return nil, err
		}
	}
	return t, nil
}

func (t *Test) parseVerdict(text token) *SyntaxError {
	switch verdict := text.from(0); verdict.text {
	case "allowed":
		t.Allowed = true
	case "forbidden", "":
	default:
		return verdict.wrong("allowed or forbidden")
	}
	return nil
}

func (t *Test) parseThreads(text token) *SyntaxError {
	for number, thread := range text.split("|") {
		const handler = "IRQ:"
		if strings.HasPrefix(thread.text, handler) {
			if t.Handler >= 0 {
				return token{handler, thread.at}.wrong("one handler")
			}
			t.Handler, thread = number, thread.from(len(handler))
		}
		var list []Instruction
		for _, part := range thread.split(";") {
			in, err := t.parseInstruction(number, part)
			if err != nil {
				return err
			}
			list = append(list, in...)
		}
		t.Threads = append(t.Threads, list)
	}
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

func (t *Test) parseInstruction(thread int, part token) ([]Instruction, *SyntaxError) {
	words := part.words()
	if len(words) == 0 {
		return nil, part.wrong("an instruction")
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	in := Instruction{Text: strings.Join(texts, " ")}
	if d, ok := dependencies[in.Text]; ok {
		in.Kind, in.Dependency = Depend, d
		if in.Text == "ctrlisb" {
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
	if build := map[string]func(string) (bus.Fence, bool){"dmb": arm.DMB, "dsb": arm.DSB}[texts[0]]; build != nil {
		if err := count(part, words, 2, "one option"); err != nil {
			return nil, err
		}
		f, ok := build(texts[1])
		if !ok {
			return nil, words[1].wrong("one of %s", strings.Join(arm.BarrierOptions(), ", "))
		}
		in.Kind, in.Fence = Fence, f
		return []Instruction{in}, nil
	}
	return t.parseAccess(thread, in, part, words)
}

// count refuses an instruction that has not as many words as it must, by the first that is too much, or its end.
func count(part token, words []token, want int, what string) *SyntaxError {
	switch {
	case len(words) > want:
		return words[want].wrong("%s behind %s, and no more", what, words[0].text)
	case len(words) < want:
		return part.from(len(part.text)).wrong("%s behind %s", what, words[0].text)
	}
	return nil
}

func (t *Test) parseAccess(thread int, in Instruction, part token, words []token) ([]Instruction, *SyntaxError) {
	order, isLoad := loads[words[0].text]
	in.Kind, in.Order = Read, order
	want, what := 2, "a location"
	if !isLoad {
		var known bool
		if in.Kind, in.Order, known = writing(words[0].text); !known {
			return nil, words[0].wrong("an instruction: R A Q W L, SWP and LDXR-STXR with their suffixes, dmb dsb isb, " +
				"addr data ctrl ctrlisb, msr SGI1R, mmio GICD_SGIR")
		}
		want, what = 3, "a location and a value"
	}
	if err := count(part, words, want, what); err != nil {
		return nil, err
	}
	if !isLoad {
		v, ok := value(words[2].text)
		if !ok {
			return nil, words[2].wrong("a value of 0 to %d", maxValue)
		}
		in.Value = v
	}
	in.Location = t.location(words[1].text)
	if in.Kind != Write {
		in.Register = t.register(thread, words[0].text+" "+words[1].text)
	}
	if len(t.Registers)+len(t.Locations) > maxSlots {
		return nil, words[1].wrong("at most %d reads and locations", maxSlots)
	}
	return []Instruction{in}, nil
}

// value reads what an outcome can hold.
func value(text string) (uint64, bool) {
	v, err := strconv.ParseUint(text, 10, 64)
	return v, err == nil && v <= maxValue
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
func (t *Test) parseOutcome(text token) *SyntaxError {
	if strings.TrimSpace(text.text) == "" {
		return nil
	}
	for _, part := range text.split("&") {
		sides := part.split("=")
		if len(sides) != 2 {
			return part.wrong("name=value")
		}
		slot := t.slot(sides[0].text)
		if slot < 0 {
			return sides[0].wrong("a read, such as 1:R x, or a location")
		}
		v, ok := value(sides[1].text)
		if !ok {
			return sides[1].wrong("a value of 0 to %d", maxValue)
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
