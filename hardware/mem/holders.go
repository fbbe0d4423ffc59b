package mem

const fewHolders = 3

// holders is the set of CPUs with a copy of a line. Up to three are kept in place, which is all that a lock, a queue
// head or a flag ever has; a line that many read gets a bitmap, kept from then on so that no later change
// allocates.
type holders struct {
	few   [fewHolders]int16
	n     uint8 // CPUs in few; meaningless while wide
	wide  bool
	words *[]uint64 // the bitmap; a pointer, to keep lines small
}

func (h *holders) empty() bool { return h.n == 0 && !h.wide }

// sole reports whether c is the only holder.
func (h *holders) sole(c int16) bool { return !h.wide && h.n == 1 && h.few[0] == c }

func (h *holders) has(c int16) bool {
	if h.wide {
		return (*h.words)[c>>6]>>(c&63)&1 != 0
	}
	for _, k := range h.few[:h.n] {
		if k == c {
			return true
		}
	}
	return false
}

// only makes c the one holder.
func (h *holders) only(c int16) {
	h.few[0], h.n, h.wide = c, 1, false
}

// none takes all out.
func (h *holders) none() { h.n, h.wide = 0, false }

// add puts c into the set; cpus is the number of CPUs of the machine.
func (h *holders) add(c int16, cpus int) {
	if h.has(c) {
		return
	}
	if !h.wide && h.n < fewHolders {
		h.few[h.n] = c
		h.n++
		return
	}
	if !h.wide {
		if h.words == nil {
			words := make([]uint64, (cpus+63)/64)
			h.words = &words
		}
		clear(*h.words)
		for _, k := range h.few {
			(*h.words)[k>>6] |= 1 << (k & 63)
		}
		h.wide = true
	}
	(*h.words)[c>>6] |= 1 << (c & 63)
}
