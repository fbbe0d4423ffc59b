package graph_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// instruction of a litmus test.
type instruction struct {
	name     string
	location int
	value    uint64
	register int
	fence    Fence
}

// litmus is one row of a data file.
type litmus struct {
	name, text, expected string
	threads              [][]instruction
	handler              int
	registers, locations []string
	weak                 [][2]int // number of a register, or of a location behind them, and its value
	sets                 []string
}

func (l *litmus) index(list *[]string, name string) int {
	if i := slices.Index(*list, name); i >= 0 {
		return i
	}
	*list = append(*list, name)
	return len(*list) - 1
}

func parse(row string) (*litmus, error) {
	f := append(strings.Split(row, "\t"), "", "", "", "")
	l := &litmus{name: f[0], text: f[1], expected: f[3], handler: -1}
	if f[4] != "" {
		l.sets = strings.Split(f[4], ",")
	}
	for i, text := range strings.Split(f[1], "|") {
		name := strconv.Itoa(i)
		if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "IRQ:"); ok {
			l.handler, name, text = i, "IRQ", rest
		}
		code, err := l.parseThread(name, text)
		if err != nil {
			return nil, err
		}
		l.threads = append(l.threads, code)
	}
	for _, term := range strings.Split(f[2], "&") {
		name, value, ok := strings.Cut(strings.TrimSpace(term), "=")
		if !ok {
			continue
		}
		name = strings.Replace(name, ": ", ":", 1)
		v, err := strconv.Atoi(value)
		k := slices.Index(l.registers, name)
		if k < 0 {
			if k = slices.Index(l.locations, name); k >= 0 {
				k += len(l.registers)
			}
		}
		if k < 0 || err != nil {
			return nil, fmt.Errorf("%s: term %q", l.name, term)
		}
		l.weak = append(l.weak, [2]int{k, v})
	}
	return l, nil
}

func (l *litmus) parseThread(thread, text string) (code []instruction, err error) {
	for _, part := range strings.Split(text, ";") {
		w := strings.Fields(part)
		if len(w) == 0 {
			continue
		}
		in := instruction{name: w[0]}
		switch w[0] {
		case "addr", "data", "ctrl", "isb", "msr", "mmio":
		case "ctrlisb":
			code = append(code, instruction{name: "ctrl"})
			in.name = "isb"
		case "dmb", "dsb":
			in.name, in.fence = "fence", fence(w[0], w[1])
			if strings.HasPrefix(w[1], "nsh") {
				continue
			}
		case "fence":
			in.fence = riscvFence(w[1])
		case "fence.tso":
			code = append(code, instruction{name: "fence", fence: riscvFence("r,rw")})
			in.name, in.fence = "fence", riscvFence("w,w")
		default:
			in.location = l.index(&l.locations, w[1])
			if len(w) > 2 {
				if in.value, err = strconv.ParseUint(w[2], 10, 64); err != nil {
					return nil, err
				}
			}
			if w[0] != "W" && w[0] != "L" {
				name := thread + ":" + w[0] + " " + w[1]
				for slices.Contains(l.registers, name) {
					name += "'"
				}
				in.register = l.index(&l.registers, name)
			}
		}
		code = append(code, in)
	}
	return code, nil
}

const all = Load | Store | DeviceInput | DeviceOutput

func fence(kind, option string) Fence {
	f := Fence{Before: all, After: all, Completes: kind == "dsb"}
	switch {
	case strings.HasSuffix(option, "st"):
		f.Before, f.After = Store|DeviceOutput, Store|DeviceOutput
	case strings.HasSuffix(option, "ld"):
		f.Before = Load | DeviceInput
	}
	return f
}

// The places of a litmus test's locations, its interrupt line, and its device.
const (
	locationsAt = 0x1000
	lineAt      = 0x10_0000
)

// run executes a thread; regs are the values read.
func (l *litmus) run(h *Handle, code []instruction, regs []uint64) {
	var last, address, data Value
	for i := range code {
		in := &code[i]
		at := address.With(locationsAt+uint64(in.location)*64, address)
		switch in.name {
		case "addr":
			address = last
			continue
		case "data":
			data = last
			continue
		case "ctrl":
			h.Branch(last)
			continue
		case "isb":
			h.Synchronize()
			continue
		case "fence":
			h.Fence(in.fence)
			continue
		case "msr":
			h.Write(address.With(lineAt), 8, System, data.With(1))
		case "mmio":
			h.Write(address.With(lineAt), 8, Write|Device, data.With(1))
		case "R", "A", "Q":
			last = h.Read(at.With(at.Bits, data), 8, Read|orders[in.name])
		case "W", "L":
			h.Write(at, 8, Write|orders[in.name], data.With(in.value))
		default:
			update := l.update
			if m, ok := riscvAtomics[in.name]; ok {
				update = m.do
			}
			last = update(h, at, data.With(in.value), in)
		}
		if in.name != "W" && in.name != "L" && in.name != "msr" && in.name != "mmio" {
			regs[in.register] = last.Bits
		}
		address, data = Value{}, Value{}
	}
}

var orders = map[string]Class{"R": 0, "A": Acquire, "Q": AcquirePC, "W": 0, "L": Release}

func (l *litmus) update(h *Handle, at, v Value, in *instruction) Value {
	read, write := Read, Write
	if rest, ok := strings.CutPrefix(in.name, "SWP"); ok {
		write |= Atomic
		if strings.Contains(rest, "A") {
			read |= Acquire
		}
		if strings.Contains(rest, "L") {
			write |= Release
		}
		if rest == "AL" {
			write |= FullAtomic
		}
		return h.Update(at, 8, read, write, func(old uint64) (uint64, uint64, bool) { return v.Bits, old, true }, v)
	}
	if strings.Contains(in.name, "LDAXR") {
		read |= Acquire
	}
	if strings.Contains(in.name, "STLXR") {
		write |= Release
	}
	old := h.Read(at, 8, read)
	h.Monitor()
	h.WriteExclusive(at, 8, write, v)
	return old
}

func (l *litmus) program() (*Program, []uint64) {
	regs := make([]uint64, len(l.registers))
	p := &Program{}
	for i, code := range l.threads {
		run := func(h *Handle) { l.run(h, code, regs) }
		if i == l.handler {
			p.Threads = append(p.Threads, Thread{Run: func(*Handle) {}, Lines: []Line{{Object: lineAt, Handler: run}}})
		} else {
			p.Threads = append(p.Threads, Thread{Run: run})
		}
	}
	return p, regs
}

// explored answers the outcomes, as in the data, and whether the weak one is among them.
func (l *litmus) explored(t testing.TB, m *Model) (sets []string, weak bool, r *Report) {
	p, regs := l.program()
	seen := map[string]bool{}
	p.Begin = func() {
		weak = false
		clear(seen)
	}
	p.End = func(e *Execution) Verdict {
		values := slices.Clone(regs)
		for i := range l.locations {
			values = append(values, e.Final(locationsAt+uint64(i)*64, 8))
		}
		text := ""
		for _, v := range values {
			text += strconv.FormatUint(v, 16)
		}
		seen[text] = true
		holds := len(l.weak) > 0
		for _, term := range l.weak {
			holds = holds && values[term[0]] == uint64(term[1])
		}
		weak = weak || holds
		return Verdict{}
	}
	r, err := Explore(p, m, Options{})
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	for s := range seen {
		sets = append(sets, s)
	}
	slices.Sort(sets)
	return sets, weak, r
}

func rows(t testing.TB, name string) (list []*litmus) {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && line[0] != '#' && !strings.HasPrefix(line, "name\t") {
			l, err := parse(line)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, l)
		}
	}
	return list
}

// Every published verdict.
func TestVerdicts(t *testing.T) {
	list := rows(t, "litmus.tsv")
	for _, l := range list {
		l.sets = nil
		if _, weak, _ := l.explored(t, &Arm); weak != (l.expected == "allowed") {
			t.Errorf("%s: %s: %v, expected %s", l.name, l.text, weak, l.expected)
		}
	}
	if len(list) != 67 {
		t.Errorf("%d rows, expected 67", len(list))
	}
}

// Every set of outcomes that another implementation of the axioms has given.
func TestSets(t *testing.T) {
	list := rows(t, "litmus-sets.tsv")
	verdicts, executions, steps, dead := 0, 0, 0, 0
	for _, l := range list {
		sets, weak, r := l.explored(t, &Arm)
		if !slices.Equal(sets, l.sets) {
			t.Errorf("%s: %s: %v, expected %v", l.name, l.text, sets, l.sets)
		}
		if l.expected != "" {
			verdicts++
			if weak != (l.expected == "allowed") {
				t.Errorf("%s: %v, expected %s", l.name, weak, l.expected)
			}
		}
		executions, steps, dead = executions+r.Executions, steps+r.Steps, dead+r.Dead
	}
	t.Logf("%d sets, %d verdicts, %d executions, %d steps, %d dead", len(list), verdicts, executions, steps, dead)
	if len(list) != 981 || verdicts != 782 {
		t.Errorf("%d sets, %d verdicts: expected 981 and 782", len(list), verdicts)
	}
}
