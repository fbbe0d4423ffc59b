package smmuv3

// A ring is the arithmetic of a queue in memory. Its pointers have an index of log2 bits and above it the wrap bit,
// which changes whenever the index begins anew; bits above that do not count. IHI 0070, 3.5.1.
type ring struct {
	base  uint64 // effective address
	log2  uint8  // of the number of entries
	shift uint8  // log2 of the bytes of an entry
}

// pointers are the bits of a pointer that count.
func (q ring) pointers() uint64 { return 1<<(q.log2+1) - 1 }

// size is the number of entries.
func (q ring) size() uint64 { return 1 << q.log2 }

// used is the number of entries from cons to prod; more than size if the pointers are inconsistent.
func (q ring) used(prod, cons uint64) uint64 { return (prod - cons) & q.pointers() }

// empty: index and wrap bit are equal. full: the index alone is.
func (q ring) empty(prod, cons uint64) bool { return q.used(prod, cons) == 0 }
func (q ring) full(prod, cons uint64) bool  { return q.used(prod, cons) == q.size() }

// consistent reports whether prod is at or ahead of cons by no more than the queue holds.
func (q ring) consistent(prod, cons uint64) bool { return q.used(prod, cons) <= q.size() }

// next is the pointer behind p.
func (q ring) next(p uint64) uint64 { return (p + 1) & q.pointers() }

// index is where a pointer points to, as a number of an entry, and wrap its wrap bit.
func (q ring) index(p uint64) uint64 { return p & (q.size() - 1) }
func (q ring) wrap(p uint64) uint64  { return p >> q.log2 & 1 }

// at is the address of an entry.
func (q ring) at(p uint64) uint64 { return q.base + q.index(p)<<q.shift }

// align is an address with those bits cleared that a table or queue of that many bytes, a power of two, does not use.
func align(addr, size uint64) uint64 { return addr &^ (size - 1) }
