package bus

// AtomicOp is the operation of a single-copy atomic read-modify-write. Signed forms do not occur in the kernel paths.
type AtomicOp uint8

// The operations: FEAT_LSE's SWP, CAS, LDADD, LDCLR, LDEOR, LDSET; RISC-V's AMOSWAP, AMOADD, AMOXOR, AMOOR, AMOAND.
const (
	Swap AtomicOp = iota
	CompareAndSwap
	Add
	Clear
	Xor
	Set
	And
)

// String is the operation's name in traces.
func (op AtomicOp) String() string {
	return [...]string{"swap", "cas", "add", "clear", "xor", "set", "and"}[op]
}

// Apply is the new value, and whether it is written.
func (op AtomicOp) Apply(old, v, compare uint64) (uint64, bool) {
	switch op {
	case Swap:
		return v, true
	case CompareAndSwap:
		return v, old == compare
	case Add:
		return old + v, true
	case Clear:
		return old &^ v, true
	case Xor:
		return old ^ v, true
	case Set:
		return old | v, true
	case And:
		return old & v, true
	}
	panic("BUG: unknown atomic operation")
}
