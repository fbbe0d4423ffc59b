package mem

const fewHolders = 3

// holders is the set of CPUs with a copy of a line. Up to three are kept in place, which is all that a lock, a queue
// head or a flag ever has; a line that many read gets a bitmap, kept from then on so that no later change
// allocates.
//
// Invariant: few is filled from the front, and begins with inBitmap if the set is in the bitmap. own is the only holder
// of a line that is dirty, on which nothing is in flight, and that nobody watches, or 0.
type holders struct {
	few   [fewHolders]int16 // numbers of the CPUs, from 1; 0 if free
	own   int16             // as those
	words *[]uint64         // the bitmap; a pointer, to keep lines small
}

// inBitmap says that the set is in the bitmap.
const inBitmap = int16(-1)

func (h *holders) empty() bool { return h.few[0] == 0 }

func (h *holders) wide() bool { return h.few[0] == inBitmap }

// sole reports whether c is the only holder.
func (h *holders) sole(c int16) bool { return h.few == [fewHolders]int16{c + 1} }

func (h *holders) has(c int16) bool {
	return h.few[0] == c+1 || h.few[1] == c+1 || h.few[2] == c+1 || h.wide() && h.marked(c)
}

// marked is has for the bitmap.
func (h *holders) marked(c int16) bool { return (*h.words)[c>>6]>>(c&63)&1 != 0 }

func (h *holders) mark(c int16) { (*h.words)[c>>6] |= 1 << (c & 63) }

// only makes c the one holder.
func (h *holders) only(c int16) { h.few, h.own = [fewHolders]int16{c + 1}, 0 }

// none takes all out.
func (h *holders) none() { h.few, h.own = [fewHolders]int16{}, 0 }

// add puts c into the set; cpus is the number of CPUs of the machine.
func (h *holders) add(c int16, cpus int) {
	if h.has(c) {
		return
	}
	h.own = 0
	if !h.wide() {
		for i := range h.few {
			if h.few[i] == 0 {
				h.few[i] = c + 1
				return
			}
		}
		h.widen(cpus)
	}
	h.mark(c)
}

// widen puts the set into the bitmap.
func (h *holders) widen(cpus int) {
	if h.words == nil {
		words := make([]uint64, (cpus+63)/64)
		h.words = &words
	}
	clear(*h.words)
	for _, k := range h.few {
		h.mark(k - 1)
	}
	h.few, h.own = [fewHolders]int16{inBitmap}, 0
}
