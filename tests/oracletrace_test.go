package tests

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A recorded trace, tests/testdata/oracle/*.trace, holds one operation a line, numbers in hex, physical addresses:
//
//	# text, ## name            comment; start of a named section
//	reset                      devices at power-on values; memory keeps its contents
//	zero A LEN                 memory
//	wmem A BYTES
//	rmem A LEN -> BYTES
//	w8 w16 w32 w64 A V         write
//	r8 r16 r32 r64 A -> V      read, and the recorded value
//	line N LEVEL               drive interrupt input N
//	irq N LEVEL                input N was seen to change since the operation before
//	sysw CPU REG V [undef]     system register access; undef where the instruction trapped
//	sysr CPU REG -> V|undef
//	dma SID rd|wr IOVA LEN     a device reads into, or writes from, its buffer through the SMMU
//	msi SID A V                a device writes 32 bits through the SMMU
type traceOp struct {
	line  int
	kind  string
	width int // bytes, of w8 to r64
	cpu   int
	reg   string
	addr  uint64 // or the number of an interrupt input
	value uint64 // to write, or recorded; or a length
	bytes []byte
	undef bool
	sid   uint64
	text  string
}

// traceSection is a part of a trace that stands alone.
type traceSection struct {
	name string
	ops  []traceOp
}

// parseTrace reads a whole trace. What comes before the first section must be comments.
func parseTrace(r io.Reader) ([]traceSection, error) {
	var sections []traceSection
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<24)
	for n := 1; s.Scan(); n++ {
		text := strings.TrimSpace(s.Text())
		name, isName := strings.CutPrefix(text, "## ")
		switch {
		case isName:
			sections = append(sections, traceSection{name: name})
			continue
		case text == "" || text[0] == '#':
			continue
		case len(sections) == 0:
			return nil, fmt.Errorf("line %d: %q before the first section", n, text)
		}
		op, err := parseTraceOp(strings.Fields(text))
		if err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", n, text, err)
		}
		op.line, op.text = n, text
		last := &sections[len(sections)-1]
		last.ops = append(last.ops, op)
	}
	return sections, s.Err()
}

// traceForms gives the fields of each kind of line behind its first: c CPU, g register, a address or number, v value,
// w value or undef, b bytes, > the arrow, s stream id, d direction, u an optional undef.
var traceForms = map[string]string{
	"reset": "", "zero": "av", "wmem": "ab", "rmem": "av>b",
	"w8": "av", "w16": "av", "w32": "av", "w64": "av",
	"r8": "a>v", "r16": "a>v", "r32": "a>v", "r64": "a>v",
	"line": "av", "irq": "av", "sysw": "cgvu", "sysr": "cg>w", "dma": "sdav", "msi": "sav",
}

func parseTraceOp(words []string) (traceOp, error) {
	op := traceOp{kind: words[0]}
	form, ok := traceForms[op.kind]
	if !ok {
		return op, fmt.Errorf("unknown operation")
	}
	if bits, err := strconv.Atoi(op.kind[1:]); err == nil {
		op.width, op.kind = bits/8, op.kind[:1]
	}
	words = words[1:]
	for _, f := range form {
		if len(words) == 0 {
			if f == 'u' {
				continue
			}
			return op, fmt.Errorf("too short")
		}
		if err := op.field(f, words[0]); err != nil {
			return op, err
		}
		words = words[1:]
	}
	if len(words) != 0 {
		return op, fmt.Errorf("too long")
	}
	return op, nil
}

// field parses one word of a line.
func (op *traceOp) field(form rune, word string) error {
	var err error
	switch form {
	case 'c':
		op.cpu, err = strconv.Atoi(word)
	case 'g':
		op.reg = word
	case 'a':
		op.addr, err = strconv.ParseUint(word, 16, 64)
	case 's':
		op.sid, err = strconv.ParseUint(word, 16, 64)
	case 'b':
		op.bytes, err = hex.DecodeString(word)
	case '>':
		if word != "->" {
			return fmt.Errorf("want an arrow, not %q", word)
		}
	case 'd':
		if op.reg = word; word != "rd" && word != "wr" {
			return fmt.Errorf("want rd or wr, not %q", word)
		}
	case 'u':
		if op.undef = word == "undef"; !op.undef {
			return fmt.Errorf("want undef, not %q", word)
		}
	case 'w', 'v':
		if op.undef = form == 'w' && word == "undef"; !op.undef {
			op.value, err = strconv.ParseUint(word, 16, 64)
		}
	}
	return err
}

// touches reports whether a section accesses addresses from lo up to hi.
func (s *traceSection) touches(lo, hi uint64) bool {
	for _, op := range s.ops {
		if (op.kind == "r" || op.kind == "w") && op.addr >= lo && op.addr < hi {
			return true
		}
	}
	return false
}
