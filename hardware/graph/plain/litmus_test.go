package plain

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// row is a litmus test of the published notation, translated.
type row struct {
	text  string            // The program.
	reads []string          // Registers of reads in order of appearance, as in outcomes: "0:r1".
	named map[string]string // Name in a condition, "0:R x'", to the outcome's word.
	cells []string
}

// translate turns "W x 1; dmb st; W y 1 | R y; R x" into a program.
func translate(threads string) (*row, error) {
	r := &row{named: map[string]string{}}
	var code strings.Builder
	for t, body := range strings.Split(threads, "|") {
		body = strings.TrimSpace(body)
		name := fmt.Sprintf("%d:", t)
		if handler, ok := strings.CutPrefix(body, "IRQ:"); ok {
			code.WriteString("thread\nhandler 1\n")
			body, name = handler, "IRQ: "
		} else {
			code.WriteString("thread\n")
		}
		th := &column{row: r, code: &code, thread: t, name: name, last: -1}
		for _, op := range strings.Split(body, ";") {
			if err := th.operation(strings.Fields(op)); err != nil {
				return nil, err
			}
		}
	}
	for _, cell := range r.cells {
		r.text += fmt.Sprintf("cell %s 0\n", cell)
		r.named[cell] = cell
	}
	r.text += code.String()
	return r, nil
}

// column is a thread being translated. Registers count up; r15 holds what a dependency is made of.
type column struct {
	row          *row
	code         *strings.Builder
	thread, next int
	name         string
	last         int // Register of the last read.
	addr, data   bool
	labels       int
}

func (c *column) emit(format string, args ...any) { fmt.Fprintf(c.code, "  "+format+"\n", args...) }

func (c *column) operation(words []string) error {
	switch words[0] {
	case "addr":
		c.addr = true
	case "data":
		c.data = true
	case "ctrl", "ctrlisb":
		c.labels++
		c.emit("cbz r%d, l%d", c.last, c.labels)
		c.emit("l%d:", c.labels)
		if words[0] == "ctrlisb" {
			c.emit("isb")
		}
	case "dmb", "dsb", "isb", "fence", "fence.tso":
		c.emit("%s", strings.Join(words, " "))
	case "msr":
		c.emit("sgi 1, 1")
	case "mmio":
		c.emit("ring 1, 1")
	default:
		return c.access(words)
	}
	return nil
}

func (c *column) access(words []string) error {
	cell := words[1]
	if !slices.Contains(c.row.cells, cell) {
		c.row.cells = append(c.row.cells, cell)
	}
	at, value := "["+cell+"]", "0"
	if len(words) > 2 {
		value = words[2]
	}
	if c.addr {
		c.emit("eor r15, r%d, r%d", c.last, c.last)
		at = "[" + cell + "+r15]"
	}
	if c.data {
		c.emit("eor r14, r%d, r%d", c.last, c.last)
		c.emit("add r14, r14, %s", value)
		value = "r14"
	}
	c.addr, c.data = false, false
	plain := map[string]string{"W": "str.8", "L": "stlr.8", "R": "ldr.8", "A": "ldar.8", "Q": "ldapr.8"}
	switch op := words[0]; op {
	case "W", "L":
		c.emit("%s %s, %s", plain[op], value, at)
		return nil
	case "R", "A", "Q":
		c.emit("%s r%d, %s", plain[op], c.next, at)
	case "SWP", "SWPA", "SWPL", "SWPAL":
		c.emit("%s.8 r%d, %s, %s", strings.ToLower(op), c.next, value, at)
	case "LDXR-STXR", "LDXR-STLXR", "LDAXR-STXR", "LDAXR-STLXR":
		load, store, _ := strings.Cut(strings.ToLower(op), "-")
		c.emit("%s.8 r%d, %s", load, c.next, at)
		c.emit("%s.8 r13, %s, %s", store, value, at)
	default:
		if !c.riscv(op, value, at) {
			return fmt.Errorf("unknown operation %q", strings.Join(words, " "))
		}
	}
	c.read(words[0], cell)
	return nil
}

func (c *column) read(op, cell string) {
	word := fmt.Sprintf("%d:r%d", c.thread, c.next)
	name := fmt.Sprintf("%s%s %s", c.name, op, cell)
	for c.row.named[name] != "" {
		name += "'"
	}
	c.row.named[name] = word
	c.row.reads = append(c.row.reads, word)
	c.last = c.next
	c.next++
}

// splitWords splits an outcome into its words.
func splitWords(outcome string) map[string]string {
	m := map[string]string{}
	for _, word := range strings.Fields(outcome) {
		name, value, _ := strings.Cut(word, "=")
		m[name] = value
	}
	return m
}

// digits writes an outcome as litmus-sets.tsv does.
func (r *row) digits(outcome string) string {
	m, text := splitWords(outcome), ""
	for _, name := range append(slices.Clone(r.reads), r.cells...) {
		text += m[name]
	}
	return text
}

// holds reports whether an outcome is the one that a condition names.
func (r *row) holds(condition, outcome string) (bool, error) {
	m := splitWords(outcome)
	for _, term := range strings.Split(condition, " & ") {
		name, value, _ := strings.Cut(term, "=")
		word, ok := r.named[name]
		if !ok {
			return false, fmt.Errorf("condition names %q", name)
		}
		if m[word] != value {
			return false, nil
		}
	}
	return true, nil
}

func readRows(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, append(strings.Split(line, "\t"), "", "", ""))
		}
	}
	return rows
}

// enumerateRow runs one row under a model and reports its digits and whether its condition can hold.
func enumerateRow(t *testing.T, columns []string, model Model) (r *row, sets []string, verdict string) {
	t.Helper()
	r, err := translate(columns[1])
	if err != nil {
		t.Fatalf("%s: %v", columns[0], err)
	}
	p, err := Parse(r.text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", columns[0], err, r.text)
	}
	result, err := Enumerate(p, Options{Model: model})
	if err != nil {
		t.Fatalf("%s: %v", columns[0], err)
	}
	verdict = "forbidden"
	for _, outcome := range result.Outcomes {
		sets = append(sets, r.digits(outcome))
		if columns[2] == "" {
			continue
		}
		seen, err := r.holds(columns[2], outcome)
		if err != nil {
			t.Fatalf("%s: %v", columns[0], err)
		}
		if seen {
			verdict = "allowed"
		}
	}
	slices.Sort(sets)
	return r, slices.Compact(sets), verdict
}

// The whole set of outcomes of every row of litmus-sets.tsv, and the verdict of those that ask for one.
func TestLitmusSets(t *testing.T) {
	verdicts, sets := 0, 0
	for _, columns := range readRows(t, "litmus-sets.tsv") {
		_, got, verdict := enumerateRow(t, columns, Arm)
		if columns[3] != "" {
			verdicts++
			if verdict != columns[3] {
				t.Errorf("%s: %s, want %s", columns[0], verdict, columns[3])
			}
		}
		sets++
		if text := strings.Join(got, ","); text != columns[4] {
			t.Errorf("%s: %s\ngot  %s\nwant %s", columns[0], columns[1], text, columns[4])
		}
	}
	if verdicts != 782 || sets != 981 {
		t.Errorf("%d verdicts and %d sets looked at, want 782 and 981", verdicts, sets)
	}
}

// The verdict of every row of litmus.tsv.
func TestLitmusVerdicts(t *testing.T) {
	n := 0
	for _, columns := range readRows(t, "litmus.tsv") {
		n++
		if _, _, verdict := enumerateRow(t, columns, Arm); verdict != columns[3] {
			t.Errorf("%s: %s, want %s", columns[0], verdict, columns[3])
		}
	}
	if n != 67 {
		t.Errorf("%d rows, want 67", n)
	}
}
