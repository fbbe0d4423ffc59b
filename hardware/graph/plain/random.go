package plain

import (
	"fmt"
	"strings"
)

// Knobs say what a random program may contain. The counts are limits.
type Knobs struct {
	Threads, Accesses, Cells, Values int // Accesses of one thread.

	Fences, Dependencies, Atomics, Exclusives bool
	Interrupts, Devices, Waits, Deadlines     bool
	Sizes, Events                             bool

	Pointers bool // Addresses that depend on what was read.
	Signals  bool // Interrupts from several threads, of two numbers, to handlers that order.
	RISCV    bool // Its instructions in place of Arm's.
}

// random is a SplitMix64 generator: the same seed gives the same program everywhere.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below gives a number from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

func (r *random) percent(n int) bool { return r.below(100) < n }

func pick(r *random, words ...string) string { return words[r.below(len(words))] }

// RandomKnobs draws which parts of the language a seed's program uses, with counts small enough that nearly all
// programs can be enumerated: of 300, 284 within 20,000 choices and 296 within 200,000.
func RandomKnobs(seed uint64) Knobs {
	r := random(seed ^ 0x5555)
	k := Knobs{Threads: 3, Accesses: 3, Cells: 2, Values: 2}
	for _, part := range []*bool{
		&k.Fences, &k.Dependencies, &k.Atomics, &k.Exclusives, &k.Interrupts, &k.Devices, &k.Waits, &k.Deadlines,
		&k.Sizes, &k.Events,
	} {
		*part = r.percent(40)
	}
	return k
}

// writer writes one piece of code. Registers r0 to r9 take what the main program reads, r10 and r11 are scratch; r12
// and r13 are a handler's.
type writer struct {
	r      *random
	k      *Knobs
	b      *strings.Builder
	next   int
	last   int // The register of the last read, or -1.
	limit  int
	labels int
	waited bool
}

// Random writes a program in the language of Parse. It is a function of seed and knobs.
func Random(seed uint64, k Knobs) string {
	r := random(seed)
	var b strings.Builder
	for i := range k.Cells {
		word := "cell"
		if k.Devices && i == k.Cells-1 {
			word = "device"
		}
		fmt.Fprintf(&b, "%s %c 0\n", word, 'a'+rune(i))
	}
	threads := max(2, 1+r.below(k.Threads))
	sender := none
	if k.Interrupts {
		sender = r.below(threads)
	}
	for t := range threads {
		b.WriteString("thread\n")
		w := &writer{r: &r, k: &k, b: &b, last: none, limit: 10}
		w.main(t, sender, threads)
		if sender >= 0 && t == (sender+1)%threads {
			writeHandler(&r, &b, &k, 5)
			if k.Signals && r.percent(50) {
				writeHandler(&r, &b, &k, 6)
			}
		}
	}
	return b.String()
}

// writeHandler writes one or two accesses, with what orders them if there are signals.
func writeHandler(r *random, b *strings.Builder, k *Knobs, intid int) {
	fmt.Fprintf(b, "handler %d\n", intid)
	h := &writer{
		r: r, b: b, last: none, next: 12, limit: 14,
		k: &Knobs{
			Cells: k.Cells, Values: k.Values, Devices: k.Devices, Fences: k.Fences && k.Signals, RISCV: k.RISCV,
		},
	}
	for range 1 + r.below(2) {
		h.between()
		h.access()
	}
}

func (w *writer) emit(format string, args ...any) { fmt.Fprintf(w.b, "  "+format+"\n", args...) }

// main writes the accesses of a thread, with an interrupt to its neighbour if it is the sender.
func (w *writer) main(thread, sender, threads int) {
	n := 1 + w.r.below(w.k.Accesses)
	at := w.r.below(n + 1)
	receiver := (sender + 1) % threads
	signals := thread == sender || w.k.Signals && sender >= 0 && thread != receiver && w.r.percent(60)
	masked := sender >= 0 && thread == (sender+1)%threads && w.r.percent(30)
	for i := range n + 1 {
		for signals && (i == at || w.k.Signals && i == n) {
			w.between()
			if w.k.Signals && w.r.percent(30) {
				w.emit("%s %d, 6", w.signal("sgi"), receiver)
			} else {
				w.emit("%s %d, 5", w.signal(pick(w.r, "sgi", "sgi", "ring")), receiver)
			}
			signals = w.k.Signals && i == at && w.r.percent(40)
			if i == at {
				break
			}
		}
		if masked && i == at {
			w.emit("%s", pick(w.r, "mask", "unmask"))
		}
		if w.k.Events && i == at && thread < 2 {
			w.between()
			if w.k.Exclusives && w.next < w.limit && w.r.percent(50) {
				w.emit("ldxr.8 r%d, [%c]", w.next, 'a'+rune(w.r.below(w.k.Cells)))
				w.read()
			}
			w.emit("%s", pick(w.r, "sev", "wfe", "wfe"))
		}
		if i < n {
			w.between()
			w.access()
		}
	}
}

// between writes what orders, or nothing.
func (w *writer) between() {
	if w.k.Fences && w.r.percent(35) {
		if w.k.RISCV {
			w.emit("%s", randomFence(w.r))
			return
		}
		switch w.r.below(5) {
		case 0:
			w.emit("isb")
		case 1, 2:
			w.emit("dmb %s", pick(w.r, "ish", "ishst", "ishld", "sy", "nsh"))
		default:
			w.emit("dsb %s", pick(w.r, "ish", "ishst", "ishld", "sy", "nshst"))
		}
	}
	if w.k.Dependencies && w.last >= 0 && w.r.percent(20) {
		w.labels++
		w.emit("%s r%d, l%d", pick(w.r, "cbz", "cbnz"), w.last, w.labels)
		if w.r.percent(30) {
			w.access()
		}
		w.emit("l%d:", w.labels)
	}
}

// place picks the size and the bytes of an access. A device is accessed as a whole.
func (w *writer) place() (size, at string) {
	size, off := "8", ""
	cell := w.r.below(w.k.Cells)
	if device := w.k.Devices && cell == w.k.Cells-1; w.k.Sizes && !device && w.r.percent(60) {
		size, off = "4", pick(w.r, "", "+4")
	}
	if w.k.Pointers && w.last >= 0 && w.k.Cells > 1 && w.r.percent(40) {
		w.emit("and r10, r%d, 8", w.last)
		return "8", fmt.Sprintf("[%c+r10]", 'a'+rune(w.r.below(w.k.Cells-1)))
	}
	at = fmt.Sprintf("%c%s", 'a'+rune(cell), off)
	if w.k.Dependencies && w.last >= 0 && w.r.percent(20) {
		w.emit("eor r10, r%d, r%d", w.last, w.last)
		at += "+r10"
	}
	return size, "[" + at + "]"
}

// value picks what to store: a constant, what was read last, or a constant that depends on it.
func (w *writer) value() string {
	v := fmt.Sprint(1 + w.r.below(w.k.Values))
	if w.k.Pointers && w.r.percent(50) {
		v = "8"
	}
	if !w.k.Dependencies || w.last < 0 || w.r.percent(60) {
		return v
	}
	if w.r.percent(50) {
		return fmt.Sprintf("r%d", w.last)
	}
	w.emit("eor r11, r%d, r%d", w.last, w.last)
	w.emit("add r11, r11, %s", v)
	return "r11"
}

// access writes one access; when the registers are used up, a store.
func (w *writer) access() {
	v := w.value()
	size, at := w.place()
	reads := w.next < w.limit
	if w.k.RISCV && w.accessRISCV(reads, size, at, v) {
		return
	}
	switch {
	case reads && !w.k.RISCV && w.k.Atomics && w.r.percent(25):
		w.atomic(size, at, v)
	case reads && !w.k.RISCV && w.k.Exclusives && w.r.percent(25):
		w.exclusive(size, at, v)
	case reads && w.k.Waits && !w.waited && w.r.percent(30):
		w.waited = true
		deadline := ""
		if w.k.Deadlines && w.r.percent(70) && w.next+1 < w.limit {
			deadline = fmt.Sprintf(", r%d", w.next+1)
		}
		w.emit("%s.%s r%d, %s, %s, %d%s", w.plain(pick(w.r, "wait", "wait", "waita", "waitq")), size, w.next, at,
			pick(w.r, "eq", "ne", "ge", "lt"), 1+w.r.below(w.k.Values), deadline)
		w.read()
		if deadline != "" {
			w.next++
		}
	case reads && w.r.percent(50):
		w.emit("%s.%s r%d, %s", w.plain(pick(w.r, "ldr", "ldr", "ldr", "ldar", "ldapr")), size, w.next, at)
		w.read()
	default:
		w.emit("%s.%s %s, %s", w.plain(pick(w.r, "str", "str", "str", "stlr")), size, v, at)
	}
}

func (w *writer) read() {
	w.last = w.next
	w.next++
}

func (w *writer) atomic(size, at, v string) {
	order := pick(w.r, "", "", "a", "l", "al")
	switch op := w.r.below(4); op {
	case 0, 1:
		name := pick(w.r, "swp", "ldadd")
		if op == 0 {
			w.emit("%s%s.%s zr, %s, %s", name, order, size, v, at)
			return
		}
		w.emit("%s%s.%s r%d, %s, %s", name, order, size, w.next, v, at)
	default:
		w.emit("cas%s.%s r%d, %d, %s, %s", order, size, w.next, w.r.below(w.k.Values+1), v, at)
	}
	w.read()
}

func (w *writer) exclusive(size, at, v string) {
	if w.next+1 >= w.limit {
		w.emit("str.%s %s, %s", size, v, at)
		return
	}
	w.emit("%s.%s r%d, %s", pick(w.r, "ldxr", "ldaxr"), size, w.next, at)
	w.emit("%s.%s r%d, %s, %s", pick(w.r, "stxr", "stlxr"), size, w.next+1, v, at)
	w.last = w.next
	w.next += 2
}
