package graph_test

import (
	"fmt"
	"slices"
	"strings"
)

// matrix is a relation between at most 64 events: bit b of row a says that a is before b.
type matrix []uint64

func square(n int) matrix { return make(matrix, n) }

func (m matrix) put(a, b int)      { m[a] |= 1 << b }
func (m matrix) has(a, b int) bool { return m[a]>>b&1 != 0 }

func (m matrix) acyclic() bool {
	c := slices.Clone(m)
	for k := range c {
		for i := range c {
			if c[i]>>k&1 != 0 {
				c[i] |= c[k]
			}
		}
	}
	for i := range c {
		if c.has(i, i) {
			return false
		}
	}
	return true
}

func (w *world) po(a, b int) bool { return w.events[a].thread == w.events[b].thread && a < b }

// between reports whether an event of a kind stands between two in program order.
func (w *world) between(a, b int, is func(e *happening) bool) bool {
	for i := a + 1; i < b; i++ {
		if is(&w.events[i]) {
			return true
		}
	}
	return false
}

// local is the part of ordered-before within threads that does not depend on what is read.
func (w *world) local() matrix {
	m := square(len(w.events))
	for a := range w.events {
		for b := range w.events {
			if !w.po(a, b) || w.events[a].fence != "" || w.events[b].fence != "" {
				continue
			}
			same := w.interrupts(a, b) || w.events[b].other == a
			if w.model == "sc" || same || w.model == "tso" && w.buffered(a, b) ||
				w.model == "arm" && (w.dob(a, b) || w.bob(a, b)) {
				m.put(a, b)
			}
		}
	}
	return m
}

// dob: dependencies.
func (w *world) dob(a, b int) bool {
	e, f := &w.events[a], &w.events[b]
	isAddr, isData, isCtrl := slices.Contains(f.addr, a), slices.Contains(f.data, a), slices.Contains(f.ctrl, a)
	fromA := func(g *happening) bool { return slices.Contains(g.addr, a) }
	addrPo := w.between(a, b, func(g *happening) bool { return fromA(g) && g.other != b })
	late := f.w || f.sys || f.take || f.dev // these wait for branches and addresses
	isb := false
	for i := a + 1; i < b; i++ {
		g := &w.events[i]
		if g.fence == "isb" && (slices.Contains(g.ctrl, a) || w.between(a, i, fromA)) {
			isb = true
		}
	}
	ordered := isAddr || isData && (f.w || f.dev || f.sys) || (isCtrl || addrPo) && late || isb && f.r
	return e.reads && ordered
}

// buffered: a store buffer, which fences and atomics drain, and which system registers do not wait for.
func (w *world) buffered(a, b int) bool {
	e, f := &w.events[a], &w.events[b]
	drained := w.between(a, b, func(g *happening) bool {
		name, option, _ := strings.Cut(g.fence, " ")
		if name == "" || name == "isb" {
			return false
		}
		r1, w1, r2, _ := kinds(option)
		return e.w && w1 && f.r && r2 || name == "dsb" && (e.r && r1 || e.w && w1 || !e.r && !e.w)
	})
	return e.r || e.mrs || e.w && (f.w || e.other >= 0 && !e.dev) || drained
}

// kinds says whether a barrier's option covers reads and writes, before and after it.
func kinds(option string) (r1, w1, r2, w2 bool) {
	switch {
	case strings.HasSuffix(option, "ld"):
		return true, false, true, true
	case strings.HasSuffix(option, "st"):
		return false, true, false, true
	}
	return true, true, true, true
}

// bob: barriers, acquire and release.
func (w *world) bob(a, b int) bool {
	e, f := &w.events[a], &w.events[b]
	for i := a + 1; i < b; i++ {
		name, option, ok := strings.Cut(w.events[i].fence, " ")
		if !ok || strings.HasPrefix(option, "nsh") {
			continue
		}
		r1, w1, r2, w2 := kinds(option)
		if (e.r && r1 || e.w && w1) && (f.r && r2 || f.w && w2 || name == "dsb") || e.mrs && name == "dsb" {
			return true
		}
	}
	m := f.r || f.w
	full := func(g *happening) bool { return g.amo && g.w && g.l && w.events[g.other].a }
	switch {
	case (e.a || e.q) && m, f.l && (e.r || e.w), e.l && f.a, full(e) && m:
		return true
	}
	return false
}

// interrupts: what stands behind a taking, or behind a wait that has expired, is later; and accesses to one object are
// in order.
func (w *world) interrupts(a, b int) bool {
	e, f := &w.events[a], &w.events[b]
	if f.fence != "" {
		return false
	}
	return e.take || e.late || (e.dev || e.sys) && (f.dev || f.sys) && e.cells[0] == f.cells[0]
}

// holds checks a candidate.
func (w *world) holds() bool {
	if !w.values() || !w.quiet() {
		return false
	}
	n := len(w.events)
	external := slices.Clone(w.lob)
	together := func(a, b int) bool {
		return slices.ContainsFunc(w.events[a].cells, func(c string) bool { return slices.Contains(w.events[b].cells, c) })
	}
	for a := range n {
		for b := range n {
			e, f := &w.events[a], &w.events[b]
			if w.po(a, b) && together(a, b) && !e.hung {
				if f.w && (e.r || e.w) { // lws
					external.put(a, b)
				}
			}
		}
	}
	for _, i := range w.late { // all that has happened when a deadline passes
		for a := range n {
			if a != i && w.events[a].fence == "" && w.isBefore(a, i) {
				external.put(a, i)
			}
		}
	}
	for cell, order := range w.co {
		if !w.communication(cell, order, external) {
			return false
		}
	}
	// coherence is for each cell by itself
	for cell := range w.co {
		if !w.coherent(cell) {
			return false
		}
	}
	return external.acyclic()
}

// communication adds rf, co and fr of a cell, and checks atomicity.
func (w *world) communication(cell string, order []int, external matrix) bool {
	see := func(a, b int) {
		e, f := &w.events[a], &w.events[b]
		if e.thread != f.thread || e.sys || f.sys || e.dev || e.take || f.take || f.mrs {
			if a != b {
				external.put(a, b)
			}
		}
	}
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			see(order[i], order[j])
		}
	}
	for i := range w.events {
		e := &w.events[i]
		if !e.reads || e.hung || !slices.Contains(e.cells, cell) {
			continue
		}
		from := w.from(i, cell)
		at := slices.Index(order, from) // -1: before all
		if from >= 0 {
			see(from, i)
			w.forward(from, i, external)
		}
		for _, later := range order[at+1:] {
			if later != i {
				see(i, later)
			}
		}
		if e.other >= 0 && w.events[e.other].writes {
			end := slices.Index(order, e.other)
			if end <= at {
				return false
			}
			for _, between := range order[at+1 : end] {
				if w.events[between].thread != e.thread {
					return false
				}
			}
		}
	}
	return true
}

// coherent: program order at a cell agrees with what is read and the order of the writes.
func (w *world) coherent(cell string) bool {
	m := square(len(w.events))
	order := w.co[cell]
	here := func(i int) bool {
		return slices.Contains(w.events[i].cells, cell) && !w.events[i].hung
	}
	for a := range w.events {
		for b := range w.events {
			if w.po(a, b) && here(a) && here(b) {
				m.put(a, b)
			}
		}
	}
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			m.put(order[i], order[j])
		}
	}
	for i := range w.events {
		if !here(i) || !w.events[i].reads {
			continue
		}
		from := w.from(i, cell)
		if from >= 0 {
			m.put(from, i)
		}
		for _, later := range order[slices.Index(order, from)+1:] {
			if later != i {
				m.put(i, later)
			}
		}
	}
	return m.acyclic()
}

// forward is (addr|data);rfi and rmw;rfi;[A|Q]. What an atomic adds comes from what it has read.
func (w *world) forward(from, to int, external matrix) {
	e, f := &w.events[from], &w.events[to]
	if e.thread != f.thread || !f.r || w.model != "arm" {
		return
	}
	for _, s := range slices.Concat(e.addr, e.data) {
		external.put(s, to)
	}
	if e.other >= 0 && (f.a || f.q || w.derived(from)) {
		external.put(e.other, to)
	}
}

// derived tells a write that is what it is by what its other half has read.
func (w *world) derived(i int) bool {
	return w.events[i].adds
}

// values checks what reads must have read. A value that depends on itself does not come out of the axioms.
func (w *world) values() bool {
	for i := range w.events {
		e := &w.events[i]
		if !e.reads || e.hung || e.must < 0 && e.mustNot < 0 {
			continue
		}
		all := true
		for _, c := range e.cells {
			v, ok := w.read(i, c, len(w.events))
			if !ok {
				return false
			}
			want := e.must
			if want < 0 {
				want = e.mustNot
			}
			all = all && v == uint64(want)
		}
		if all != (e.must >= 0) {
			return false
		}
	}
	return true
}

func (w *world) read(i int, cell string, depth int) (uint64, bool) {
	from := w.from(i, cell)
	if from < 0 {
		return 0, true
	}
	return w.written(from, cell, depth)
}

// written is the value of a write: it is made of 16 times the load that its data comes from, if no location is split.
func (w *world) written(i int, cell string, depth int) (uint64, bool) {
	e := &w.events[i]
	if depth == 0 {
		return 0, false
	}
	v, ok := e.value, true
	if e.adds {
		old, known := w.read(e.other, cell, depth-1)
		v, ok = v+old, known
	}
	if len(e.data) > 0 && len(w.split) == 0 && !e.sys {
		from, known := w.read(e.data[0], w.events[e.data[0]].cells[0], depth-1)
		v, ok = v+16*from, ok && known
	}
	return v, ok
}

// quiet checks every moment at which nothing but a deadline could go on, and the end.
func (w *world) quiet() bool {
	p := w.phase()
	for k, i := range w.late {
		if p[i] != k+1 {
			return false // one that comes later had to pass before
		}
	}
	for k := range len(w.late) + 1 {
		d := -1
		if k < len(w.late) {
			d = w.late[k]
		}
		if !w.standing(d) {
			return false
		}
	}
	return true
}

// phase is the number of deadlines that have passed when an event happens, as far as its thread and what it reads say:
// it is not before what it waits for.
func (w *world) phase() []int {
	p := make([]int, len(w.events))
	for again := true; again; {
		again = false
		raise := func(i, to int) {
			if p[i] < to {
				p[i], again = to, true
			}
		}
		for i := range w.events {
			if k := slices.Index(w.late, i); k >= 0 {
				raise(i, k+1)
			}
			for j := range w.events {
				if w.po(i, j) {
					raise(j, p[i])
				}
			}
			for _, c := range w.events[i].cells {
				if e := &w.events[i]; e.reads && !e.late && !e.hung && w.from(i, c) >= 0 {
					raise(i, p[w.from(i, c)])
				}
			}
		}
	}
	return p
}

// isBefore reports whether an event has happened when a deadline passes.
func (w *world) isBefore(a, d int) bool { return w.phase()[a] <= slices.Index(w.late, d) }

// standing checks that when deadline d passes, or at the end for -1, every thread has come as far as it can: it has
// ended or stands at a wait whose value is not there, and no interrupt is pending that it would take.
func (w *world) standing(d int) bool {
	k := len(w.late)
	if d >= 0 {
		k = slices.Index(w.late, d)
	}
	p := w.phase()
	latest := func(cell string) uint64 {
		order := w.co[cell]
		for i := len(order) - 1; i >= 0; i-- {
			if p[order[i]] <= k {
				v, _ := w.written(order[i], cell, len(w.events))
				return v
			}
		}
		return 0
	}
	for t := range w.threads {
		stand, inside := -1, false
		for i := range w.events {
			e := &w.events[i]
			if e.thread != t {
				continue
			}
			if e.hung || p[i] > k {
				stand = i
				break
			}
			if e.take {
				inside = true
			}
			if e.eret {
				inside = false
			}
		}
		if len(w.handlers[t]) > 0 && !inside && latest(fmt.Sprint("irq", t)) != 0 {
			return false
		}
		if stand < 0 {
			continue
		}
		e := &w.events[stand]
		if !e.wait {
			return false // it could have gone on
		}
		all := true
		for _, c := range e.cells {
			all = all && latest(c) == e.value
		}
		if all {
			return false
		}
	}
	return true
}
