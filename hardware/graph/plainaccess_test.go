package graph_test

import (
	"strings"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// The memory accesses of plain's language.

// suffixes are what the letters behind a mnemonic give to the two halves of an atomic.
var suffixes = map[string][2]Class{
	"": {}, "a": {Acquire, 0}, "l": {0, Release}, "al": {Acquire, Release | FullAtomic},
}

var loadClasses = map[string]Class{
	"ldr": 0, "ldar": Acquire, "ldapr": AcquirePC, "ldxr": 0, "ldaxr": Acquire, "wait": 0, "waita": Acquire,
	"waitq": AcquirePC,
}

var storeClasses = map[string]Class{"str": 0, "stlr": Release, "stxr": 0, "stlxr": Release}

func (r *textParser) access(stem string, size uint8, args []string) textStep {
	if class, ok := storeClasses[stem]; ok {
		if strings.HasSuffix(stem, "xr") {
			return storeExclusive(Write|class, size, r.destination(args[0]), r.operand(args[1]), r.place(args[2]))
		}
		v, m := r.operand(args[0]), r.place(args[1])
		return func(t *textThread, h *Handle, next int) int {
			at, device := t.address(m)
			x := t.get(v)
			if device != 0 {
				device |= Early
			}
			h.Write(at, size, Write|class|device, x.With(x.Bits&sizeMask(size)))
			t.did(h, textEvent{kind: "W", at: at.Bits, size: size})
			return next
		}
	}
	if class, ok := loadClasses[stem]; ok {
		rd := r.destination(args[0])
		if strings.HasPrefix(stem, "wait") {
			return r.wait(Read|class, size, rd, args[1:])
		}
		return load(Read|class, size, rd, r.place(args[1]), strings.HasSuffix(stem, "xr"))
	}
	return r.atomic(stem, size, args)
}

func load(class Class, size uint8, rd textOperand, m textPlace, opens bool) textStep {
	return func(t *textThread, h *Handle, next int) int {
		at, device := t.address(m)
		v := h.Read(at, size, class|device)
		if opens {
			h.Monitor()
			t.monitor = [2]uint64{at.Bits, uint64(size)}
		}
		t.did(h, textEvent{kind: "R", at: at.Bits, size: size})
		t.set(rd, v)
		return next
	}
}

// storeExclusive succeeds only at the address and with the size of the load-exclusive before it.
func storeExclusive(class Class, size uint8, status, v textOperand, m textPlace) textStep {
	return func(t *textThread, h *Handle, next int) int {
		at, device := t.address(m)
		x := t.get(v)
		if t.monitor != [2]uint64{at.Bits, uint64(size)} {
			h.ClearMonitor()
		}
		ok := h.WriteExclusive(at, size, class|device, x.With(x.Bits&sizeMask(size)))
		t.monitor = [2]uint64{}
		if ok {
			t.did(h, textEvent{kind: "W", at: at.Bits, size: size})
		} else {
			t.did(h, textEvent{kind: "FAIL"})
		}
		t.set(status, Constant(truth(!ok)))
		return next
	}
}

func (r *textParser) wait(class Class, size uint8, rd textOperand, args []string) textStep {
	m, with := r.place(args[0]), r.operand(args[2])
	test := map[string]func(v, x uint64) bool{
		"eq": func(v, x uint64) bool { return v == x }, "ne": func(v, x uint64) bool { return v != x },
		"ge": func(v, x uint64) bool { return v >= x }, "lt": func(v, x uint64) bool { return v < x },
	}[args[1]]
	passed := textOperand{reg: 31}
	if len(args) > 3 {
		passed = r.destination(args[3])
	}
	return func(t *textThread, h *Handle, next int) int {
		at, device := t.address(m)
		x := t.get(with)
		t.waiting = textEvent{kind: "BLOCKED", at: at.Bits, size: size}
		v, ok := h.Wait(at, size, class|device, func(v uint64) bool { return test(v, x.Bits) }, len(args) > 3, x)
		e := textEvent{kind: "WAIT", at: at.Bits, size: size}
		if !ok {
			e.kind = "PASSED"
		}
		t.did(h, e)
		t.set(rd, v)
		t.set(passed, v.With(truth(!ok)))
		return next
	}
}

// atomic is SWP, LDADD or CAS.
func (r *textParser) atomic(stem string, size uint8, args []string) textStep {
	name := strings.TrimRight(stem, "al")
	if strings.HasPrefix(stem, "ldadd") {
		name = "ldadd"
	}
	if strings.HasPrefix(stem, "cas") {
		name = "cas"
	}
	class := suffixes[stem[len(name):]]
	read, write := Read|Atomic|class[0], Write|Atomic|class[1]
	rd, a, b, m := r.destination(args[0]), r.operand(args[1]), textOperand{reg: -1}, r.place(args[len(args)-1])
	if name == "cas" {
		b = r.operand(args[2])
	}
	if name != "cas" && rd.reg == 31 { // the read is not waited for, and does not acquire
		read, write = (read|NoReturn)&^Acquire, write&^FullAtomic
	}
	switch name {
	case "ldadd":
		write |= Derived
	case "cas":
		return compareStep(rd, a, b, m, size, read, write)
	}
	return func(t *textThread, h *Handle, next int) int {
		at, device := t.address(m)
		x := t.get(a)
		v := h.Update(at, size, read|device, write|device, func(old uint64) (uint64, uint64, bool) {
			if name == "swp" {
				return x.Bits & sizeMask(size), old, true
			}
			return (old + x.Bits) & sizeMask(size), old, true
		}, x)
		t.did(h, textEvent{kind: "R", at: at.Bits, size: size, target: 1})
		t.set(rd, v)
		return next
	}
}

// compareStep is CAS.
func compareStep(rd, a, b textOperand, m textPlace, size uint8, read, write Class) textStep {
	return func(t *textThread, h *Handle, next int) int {
		at, device := t.address(m)
		x, y := t.get(a), t.get(b)
		v := h.CompareAndSwap(at, size, read|device, write|device, x.With(x.Bits&sizeMask(size)),
			y.With(y.Bits&sizeMask(size)))
		t.did(h, textEvent{kind: "R", at: at.Bits, size: size, target: 1})
		t.set(rd, v)
		return next
	}
}
