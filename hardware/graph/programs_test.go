package graph_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// statement is an instruction of a random program, as the explorer's side reads it.
type statement struct {
	words            []string
	addr, data, ctrl bool
}

func statements(text string) (list []statement) {
	s := statement{}
	for _, part := range strings.Split(text, ";") {
		w := strings.Fields(part)
		if len(w) == 0 {
			continue
		}
		switch w[0] {
		case "addr":
			s.addr = true
		case "data":
			s.data = true
		case "ctrl":
			s.ctrl = true
		default:
			s.words = w
			list = append(list, s)
			s = statement{}
		}
	}
	return list
}

// randomAddress is where a location of a random program is: x at 0, x0 its lower half, x4 its upper one.
func randomAddress(name string) (at uint64, size uint8) {
	at = 0x1000 + uint64(name[0])*64
	if len(name) == 1 {
		return at, 8
	}
	return at + uint64(name[1]-'0'), 4
}

// wide8 is a value in each half.
func wide8(v uint64, size uint8) uint64 {
	if size == 8 {
		return v | v<<32
	}
	return v
}

// compiled makes a program of its text.
func compiled(text string) *Program {
	p := &Program{}
	for t, thread := range strings.Split(text, "|") {
		main, handler, _ := strings.Cut(thread, "!")
		body, irq := statements(main), statements(handler)
		constant := halves.MatchString(text)
		th := Thread{Run: func(h *Handle) { execute(h, body, constant) }}
		if len(irq) > 0 {
			th.Lines = []Line{{Object: line(t), Handler: func(h *Handle) { execute(h, irq, constant) }}}
		}
		p.Threads = append(p.Threads, th)
	}
	return p
}

// halves finds locations that are accessed in halves: in a program that has any, values are constants.
var halves = regexp.MustCompile(` [xyz][04]\b`)

func execute(h *Handle, body []statement, constant bool) {
	last, loaded := Value{}, false
	for i := range body {
		s := &body[i]
		if s.ctrl && loaded {
			h.Branch(last)
		}
		var address, data Value
		if s.addr && loaded {
			address = last
		}
		if s.data && loaded {
			data = last
		}
		if constant {
			data.Bits = 0
		}
		if v, ok := perform(h, s.words, address, data); ok {
			last, loaded = v, true
		}
	}
}

// perform does a statement; it answers what it has loaded.
func perform(h *Handle, w []string, address, data Value) (Value, bool) {
	number := func(i int) uint64 {
		v, _ := strconv.ParseUint(w[i], 10, 64)
		return v
	}
	op := w[0]
	switch op {
	case "dmb", "dsb":
		if !strings.HasPrefix(w[1], "nsh") {
			h.Fence(fence(op, w[1]))
		}
		return Value{}, false
	case "isb":
		h.Synchronize()
		return Value{}, false
	case "mrs":
		return h.Read(address.With(line(int(number(1)))), 8, Sampled), true
	case "msr":
		h.Write(address.With(line(int(number(1)))), 8, System, data.With(1))
		return Value{}, false
	}
	where, size := randomAddress(w[1])
	at := address.With(where)
	v := Value{}
	if len(w) > 2 {
		v = data.With(wide8(number(2), size) + 16*data.Bits)
	}
	switch op {
	case "R", "A", "Q":
		return h.Read(at, size, Read|orders[op]), true
	case "P":
		return h.Read(at, size, Read|Device), true
	case "W", "L":
		h.Write(at, size, Write|orders[op], v)
		return Value{}, false
	case "LDXR", "LDAXR":
		old := h.Read(at, size, Read|map[string]Class{"LDXR": 0, "LDAXR": Acquire}[op])
		h.Monitor()
		return old, true
	case "STXR", "STLXR":
		h.WriteExclusive(at, size, Write|map[string]Class{"STXR": 0, "STLXR": Release}[op], v)
		return Value{}, false
	case "wait", "waitt":
		want := wide8(number(2), size)
		got, _ := h.Wait(at, size, Read, func(x uint64) bool { return x == want }, op == "waitt")
		return got, true
	case "D":
		h.Update(at, size, Device, Write|Device, func(uint64) (uint64, uint64, bool) { return v.Bits, 0, true }, v)
		return Value{}, false
	case "E":
		return h.Update(at, size, Read|Device, Device|Derived, func(old uint64) (uint64, uint64, bool) {
			return old + wide8(1, size), old, true
		}), true
	}
	return atomic(h, w, at, size, v, data), true
}

// atomic does SWP, ADD or CAS.
func atomic(h *Handle, w []string, at Value, size uint8, v, data Value) Value {
	op, read, write := w[0][:3], Read, Write|Atomic
	if strings.Contains(w[0][3:], "A") {
		read |= Acquire
	}
	if strings.Contains(w[0][3:], "L") {
		write |= Release
	}
	if strings.Contains(w[0][3:], "AL") {
		write |= FullAtomic
	}
	switch op {
	case "SWP":
		return h.Update(at, size, read, write, func(old uint64) (uint64, uint64, bool) { return v.Bits, old, true }, v)
	case "ADD":
		return h.Update(at, size, read, write|Derived, func(old uint64) (uint64, uint64, bool) {
			return old + v.Bits, old, true
		}, v)
	}
	number, _ := strconv.ParseUint(w[3], 10, 64)
	now := data.With(wide8(number, size) + 16*data.Bits)
	v = Constant(v.Bits - 16*data.Bits)
	return h.Update(at, size, read, write|Conditional, func(old uint64) (uint64, uint64, bool) {
		return now.Bits, old, old == v.Bits
	}, now)
}

// generator makes random programs. Deadlines are in those of package plain only: what can follow one early has a rule
// of its own there.
type generator struct {
	*rand.Rand
	next      int
	locations []string
	halves    bool
	atomics   bool
	devices   bool
	waits     bool
	signals   int // the thread that has a handler, negative for none
	threads   int
}

func (g *generator) pick(names ...string) string { return names[g.IntN(len(names))] }

func (g *generator) value() int {
	g.next++
	return g.next
}

func (g *generator) location() string {
	l := g.locations[g.IntN(len(g.locations))]
	if g.halves && g.IntN(3) == 0 {
		l += g.pick("0", "4")
	}
	return l
}

func (g *generator) instruction() string {
	switch n := g.IntN(20); {
	case n < 7:
		return g.pick("R", "R", "R", "A", "Q") + " " + g.location()
	case n < 12:
		return fmt.Sprintf("%s %s %d", g.pick("W", "W", "W", "L"), g.location(), g.value())
	case n < 16 && g.atomics:
		suffix := g.pick("", "A", "L", "AL")
		l := g.locations[g.IntN(len(g.locations))]
		if g.halves {
			l += "0"
		}
		switch g.IntN(5) {
		case 0, 1:
			return fmt.Sprintf("SWP%s %s %d", suffix, l, g.value())
		case 2:
			return fmt.Sprintf("ADD%s %s 1", suffix, l)
		case 3:
			return fmt.Sprintf("CAS%s %s %d %d", suffix, l, g.IntN(2)*g.next, g.value())
		}
		return fmt.Sprintf("%s %s; %s%s %s %d", g.pick("LDXR", "LDAXR"), l, g.pick("", "data; ", "ctrl; "),
			g.pick("STXR", "STLXR"), l, g.value())
	case n < 18 && g.devices:
		switch g.IntN(3) {
		case 0:
			return "P d"
		case 1:
			return "E d"
		}
		return fmt.Sprintf("D d %d", g.value())
	case n < 19 && g.waits:
		l := g.locations[g.IntN(len(g.locations))]
		return fmt.Sprintf("wait %s %d", l, g.IntN(3))
	case g.signals >= 0 && g.IntN(3) == 0:
		return fmt.Sprintf("mrs %d", g.signals)
	case g.signals >= 0:
		return fmt.Sprintf("msr %d", g.signals)
	}
	return "R " + g.location()
}

func (g *generator) code(length int) string {
	var list []string
	for i := range length {
		if i > 0 {
			switch n := g.IntN(10); {
			case n < 4:
				list = append(list, g.pick("addr", "data", "ctrl", "data", "ctrl; isb", "ctrl; isb", "addr"))
			case n < 6:
				list = append(list, g.pick("dmb", "dmb", "dsb")+" "+g.pick("ish", "ishst", "ishld", "sy", "st", "ld"))
			case n < 7:
				list = append(list, "isb")
			}
		}
		list = append(list, g.instruction())
	}
	return strings.Join(list, "; ")
}

func randomProgram(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 3))
	g := &generator{Rand: r, signals: -1, threads: 2 + r.IntN(2)}
	g.locations = []string{"x", "y", "z"}[:1+r.IntN(3)]
	g.atomics, g.devices = r.IntN(2) == 0, r.IntN(5) == 0
	g.halves = r.IntN(6) == 0
	g.waits = r.IntN(4) == 0
	if r.IntN(4) == 0 {
		g.signals = r.IntN(g.threads)
	}
	var threads []string
	total := 0
	for t := range g.threads {
		n := 1 + r.IntN(4)
		if total += n; total > 8 {
			n = 1
		}
		text := g.code(n)
		if t == g.signals {
			g.signals = -1
			text += " ! " + g.code(1+r.IntN(2))
			g.signals = t
		}
		threads = append(threads, text)
	}
	if g.signals >= 0 { // at least one
		t := (g.signals + r.IntN(g.threads)) % g.threads
		main, handler, has := strings.Cut(threads[t], "!")
		threads[t] = fmt.Sprintf("%s; msr %d", main, g.signals)
		if has {
			threads[t] += " !" + handler
		}
	}
	return strings.Join(threads, " | ")
}
