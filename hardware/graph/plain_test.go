package graph_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/graph/plain"
)

// machineCode executes a thread of a program of package plain.
type machineCode struct {
	p       *plain.Program
	h       *Handle
	regs    [32]Value
	masked  bool
	monitor plain.Address // of the load-exclusive that is open
	size    int           // its size, 0 if none is open
}

func (m *machineCode) operand(o plain.Operand) Value {
	switch {
	case o.Reg == plain.ZR:
		return Value{}
	case o.Reg >= 0:
		return m.regs[o.Reg]
	}
	return Constant(o.Imm)
}

func (m *machineCode) set(reg int, v Value) {
	if reg >= 0 && reg != plain.ZR {
		m.regs[reg] = v
	}
}

// latchAt is an interrupt line of a thread.
func latchAt(thread, intid int) uint64 { return 1<<40 + uint64(thread)*1024 + uint64(intid)*8 }

func (m *machineCode) run(code []plain.Instr) {
	for pc := 0; pc < len(code); {
		in := &code[pc]
		pc++
		switch in.Op {
		case plain.Mov, plain.Add, plain.Sub, plain.Eor, plain.And, plain.Orr, plain.Eq, plain.Ne, plain.Ge:
			a, b := m.operand(in.A), m.operand(in.B)
			m.set(in.Rd, a.With(compute(in.Op, a.Bits, b.Bits), b))
		case plain.Cbz, plain.Cbnz, plain.Branch:
			v := m.operand(in.A)
			m.h.Branch(v)
			if in.Op == plain.Branch || (in.Op == plain.Cbz) == (v.Bits == 0) {
				pc = in.Target
			}
		case plain.Dmb, plain.Dsb:
			m.fence(in)
		case plain.Isb:
			m.h.Synchronize()
		case plain.Sgi:
			m.h.Write(Constant(latchAt(in.Target, in.INTID)), 8, System, Constant(1))
		case plain.Ring:
			m.h.Write(Constant(latchAt(in.Target, in.INTID)), 8, Write|Device, Constant(1))
		case plain.Mask:
			if !m.masked {
				m.h.Point()
			}
			m.masked = true
			m.h.SetMasked(true)
		case plain.Unmask:
			m.masked = false
			m.h.SetMasked(false)
		default:
			m.access(in)
		}
	}
}

func compute(op plain.Opcode, a, b uint64) uint64 {
	truth := map[bool]uint64{true: 1}
	switch op {
	case plain.Add:
		return a + b
	case plain.Sub:
		return a - b
	case plain.Eor:
		return a ^ b
	case plain.And:
		return a & b
	case plain.Orr:
		return a | b
	case plain.Eq:
		return truth[a == b]
	case plain.Ne:
		return truth[a != b]
	case plain.Ge:
		return truth[a >= b]
	}
	return a
}

func (m *machineCode) fence(in *plain.Instr) {
	if in.Domain == plain.NSH {
		return
	}
	f := Fence{Before: all, After: all, Completes: in.Op == plain.Dsb}
	switch {
	case !in.Loads:
		f.Before, f.After = Store|DeviceOutput, Store|DeviceOutput
	case !in.Stores:
		f.Before = Load | DeviceInput
	}
	m.h.Fence(f)
}

func (m *machineCode) access(in *plain.Instr) {
	at := Constant(uint64(in.Addr.Cell)*8 + in.Addr.Off)
	if in.Addr.Reg >= 0 {
		move := m.operand(plain.Operand{Reg: in.Addr.Reg})
		at = move.With(at.Bits + move.Bits)
	}
	size := uint8(in.Size)
	read, write := Read, Write
	if in.Acquire {
		read |= Acquire
	}
	if in.AcqPC {
		read |= AcquirePC
	}
	if in.Release {
		write |= Release
	}
	if cell := at.Bits / 8; int(cell) < len(m.p.Cells) && m.p.Cells[cell].Device {
		read, write = read|Device, write|Device
	}
	mask := ^uint64(0) >> (64 - 8*in.Size)
	a, b := m.operand(in.A), m.operand(in.B)
	switch in.Op {
	case plain.Load, plain.LoadExclusive:
		v := m.h.Read(at, size, read)
		if in.Op == plain.LoadExclusive {
			m.h.Monitor()
			m.monitor, m.size = plain.Address{Off: at.Bits}, in.Size
		}
		m.set(in.Rd, v)
	case plain.Store:
		m.h.Write(at, size, write, a.With(a.Bits&mask))
	case plain.StoreExclusive:
		if m.size != in.Size || m.monitor.Off != at.Bits {
			m.h.ClearMonitor()
		}
		m.size = 0
		m.set(in.Rd, Constant(map[bool]uint64{false: 1}[m.h.WriteExclusive(at, size, write, a.With(a.Bits&mask))]))
	case plain.Wait:
		test := func(v uint64) bool { return holds(in.Test, v, a.Bits) }
		v, ok := m.h.Wait(at, size, read, test, in.Passed >= 0, a)
		m.set(in.Rd, v)
		m.set(in.Passed, v.With(map[bool]uint64{false: 1}[ok]))
	default:
		m.set(in.Rd, m.atomic(in, at, size, read, write|Atomic, mask, a, b))
	}
}

func (m *machineCode) atomic(in *plain.Instr, at Value, size uint8, read, write Class, mask uint64, a, b Value) Value {
	if in.Acquire && in.Release {
		write |= FullAtomic
	}
	switch in.Op {
	case plain.Swp:
		return m.h.Update(at, size, read, write, func(old uint64) (uint64, uint64, bool) {
			return a.Bits & mask, old, true
		}, a)
	case plain.Ldadd:
		return m.h.Update(at, size, read, write|Derived, func(old uint64) (uint64, uint64, bool) {
			return (old + a.Bits) & mask, old, true
		}, a)
	}
	return m.h.Update(at, size, read, write|Derived, func(old uint64) (uint64, uint64, bool) {
		return b.Bits & mask, old, old == a.Bits&mask
	}, a, b)
}

func holds(t plain.Test, v, operand uint64) bool {
	switch t {
	case plain.TestEq:
		return v == operand
	case plain.TestNe:
		return v != operand
	case plain.TestGe:
		return v >= operand
	}
	return v < operand
}

// plainGraphs are the texts of all executions of a program of package plain, and how many executions there were.
func plainGraphs(t *testing.T, p *plain.Program, model *Model) (map[string]bool, int) {
	seen, count := map[string]bool{}, 0
	q := &Program{
		Initial: func(at uint64, size uint8) uint64 {
			if int(at/8) >= len(p.Cells) {
				return 0
			}
			return p.Cells[at/8].Init >> (8 * (at % 8)) & (^uint64(0) >> (64 - 8*uint(size)))
		},
		Begin: func() {
			clear(seen)
			count = 0
		},
		End: func(e *Execution) Verdict {
			seen[e.PlainText(p)] = true
			count++
			return Verdict{}
		},
	}
	for i := range p.Threads {
		th := &p.Threads[i]
		m := &machineCode{p: p}
		thread := Thread{Run: func(h *Handle) {
			*m = machineCode{p: p, h: h}
			m.run(th.Code)
		}}
		for _, handler := range th.Handlers {
			thread.Lines = append(thread.Lines, Line{Object: latchAt(i, handler.INTID), Handler: func(h *Handle) {
				masked := m.masked
				m.masked, m.size = true, 0
				m.run(handler.Code)
				m.masked, m.size = masked, 0
			}})
		}
		q.Threads = append(q.Threads, thread)
	}
	if _, err := Explore(q, model, Options{Executions: 1 << 30}); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return seen, count
}

// The explorer gives the graphs that another hand's enumerator gives.
func TestPlain(t *testing.T) {
	count := long(5000, 100)
	compared, graphs := 0, 0
	for seed := uint64(1); seed <= uint64(count); seed++ {
		knobs := plain.RandomKnobs(seed)
		knobs.Events = false
		text := plain.Random(seed, knobs)
		if knobs.Deadlines && strings.Contains(text, "mask") {
			continue // plain does not see that a thread has masked when a deadline passes
		}
		if knobs.Devices && knobs.Sizes {
			continue // an object here is one location
		}
		p, err := plain.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for model, m := range map[plain.Model]*Model{plain.Arm: &Arm, plain.TSO: &TSO, plain.SC: &SC} {
			want, err := plain.Enumerate(p, plain.Options{Model: model, Graphs: true, CandidatesMax: 20_000})
			if err != nil {
				continue // too big
			}
			got, n := plainGraphs(t, p, m)
			compared++
			graphs += len(got)
			if n != len(got) && !knobs.Interrupts { // interrupts that merge have an order here
				t.Errorf("seed %d: %d executions, %d graphs", seed, n, len(got))
			}
			if s := differences(want.Graphs, got); s != "" {
				t.Fatalf("seed %d, %s\n%s\n%s", seed, m.Name, p, s)
			}
		}
	}
	t.Logf("%d programs, %d graphs", compared, graphs)
}

func differences(want []string, got map[string]bool) string {
	var list []string
	for _, w := range want {
		if !got[w] {
			list = append(list, "only in plain:\n"+w)
		}
	}
	for g := range got {
		if !slices.Contains(want, g) {
			list = append(list, "only in the explorer:\n"+g)
		}
	}
	sort.Strings(list)
	if len(list) > 3 {
		list = append(list[:3], fmt.Sprint(len(list)-3, " more"))
	}
	return strings.Join(list, "\n")
}
