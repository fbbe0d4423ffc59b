package mmu

// EntryShift is log2 of the bytes of an entry.
const EntryShift = 3

// A Stage is the numbers of one stage of translation.
type Stage struct {
	Format     Format
	Root       uint64 // the first table; bits below its size are ignored
	PageShift  uint8  // log2 of the bytes of a page
	Stride     uint8  // bits of the input address that index a table; the first has what is left
	Top        int8   // height of the first table
	InputBits  uint8  // of an input address; the caller has seen that there are no more
	OutputBits uint8  // an address with more is a fault
	Options    Options
}

// Options are what registers say of a stage's permissions.
type Options struct {
	NoHierarchy   bool // permissions of tables count for nothing
	NoAccessFlag  bool // an access flag that is 0 is no fault
	OnePrivilege  bool // privileged and unprivileged accesses are not told apart
	NeverExecute  bool // what is writable is not executable
	PrivilegedOff bool // privileged accesses to what is accessible unprivileged fault
}

// A Format says what the entries of a stage's tables mean.
type Format interface {
	// Decode takes an entry of a table of some height apart.
	Decode(s *Stage, height int8, descriptor uint64) Entry
}

// Kind is what an entry is.
type Kind uint8

// The kinds.
const (
	Invalid Kind = iota
	Table        // Address is the next table
	Leaf         // Address is the output, and its low bits are 0
)

// An Entry is a descriptor, taken apart.
type Entry struct {
	Kind    Kind
	Address uint64
	Perm    Perm  // of a table: what it leaves to what is below
	Unused  bool  // of a leaf: its access flag is 0, which is a fault
	Global  bool  // it is there in all address spaces; of a table: all below it
	Group   uint8 // of a leaf: log2 of the entries that stand for one range together
	Memory  uint8 // of a leaf: what the format has to say of the memory's type
	Share   uint8 // of a leaf: its shareability, as the format has it
}

// Fault is why a walk has no result.
type Fault uint8

// The faults.
const (
	NoFault     Fault = iota
	Translation       // nothing is mapped
	AddressSize       // an address of a table or an output has too many bits
	AccessFlag        // the access flag is 0
	Permission        // stage 2 does not let stage 1 read a descriptor
)

// String is the fault as manuals call it.
func (f Fault) String() string {
	return [...]string{"no fault", "translation", "address size", "access flag", "permission"}[f]
}

// Status is how a walk stands.
type Status uint8

// The states of a walk.
const (
	Idle     Status = iota
	Reading         // it waits for a descriptor
	Finished        // Result is the translation
	Faulted
)

// A Range is a range of input addresses with one output.
type Range struct {
	Output uint64 // of the first address of the range
	Shift  uint8  // log2 of the range's bytes
	Entry  Entry  // the leaf, with the permissions that its tables have left
}

// At is the output of an address in the range.
func (t *Range) At(input uint64) uint64 { return t.Output | input&(1<<t.Shift-1) }

// A Walk translates one address by one stage. The zero Walk is idle.
type Walk struct {
	Status Status
	Fault  Fault
	Height int8 // of the table whose entry is read, or faulted
	Result Range

	stage  *Stage
	input  uint64
	table  uint64
	perm   Perm
	global bool
}

// shift is log2 of the bytes that an entry of a height stands for.
func (s *Stage) shift(height int8) uint8 { return s.PageShift + s.Stride*uint8(height) }

// tableBits is log2 of the entries of a table.
func (s *Stage) tableBits(height int8) uint8 {
	if height == s.Top {
		return s.InputBits - s.shift(height)
	}
	return s.Stride
}

// Begin starts a walk of an input address. The stage stays the caller's, and as it is until the walk ends.
func (w *Walk) Begin(s *Stage, input uint64) Status {
	*w = Walk{stage: s, input: input, perm: Everything}
	w.enter(s.Root, s.Top)
	return w.Status
}

// Resume starts a walk at a table that is known, of some height, and whether a global entry led to it. Format must be
// one whose tables leave all permissions.
func (w *Walk) Resume(s *Stage, input, table uint64, height int8, global bool) Status {
	*w = Walk{stage: s, input: input, perm: Everything, global: global}
	w.enter(table, height)
	return w.Status
}

// enter goes to a table.
func (w *Walk) enter(table uint64, height int8) {
	w.Height = height
	w.table = table &^ (1<<(w.stage.tableBits(height)+EntryShift) - 1)
	w.Status = Reading
	if w.table>>w.stage.OutputBits != 0 {
		w.fail(AddressSize)
	}
}

func (w *Walk) fail(f Fault) { w.Status, w.Fault = Faulted, f }

// Global reports whether an entry above the one that is read is global.
func (w *Walk) Global() bool { return w.global }

// Descriptor is the address of the descriptor that a walk waits for.
func (w *Walk) Descriptor() uint64 {
	index := w.input >> w.stage.shift(w.Height) & (1<<w.stage.tableBits(w.Height) - 1)
	return w.table + index<<EntryShift
}

// Give goes on with the descriptor.
func (w *Walk) Give(descriptor uint64) Status {
	if w.Status != Reading {
		panic("BUG: a page table walk is given a descriptor that it does not wait for")
	}
	switch e := w.stage.Format.Decode(w.stage, w.Height, descriptor); {
	case e.Kind == Invalid, e.Kind == Table && w.Height == 0:
		w.fail(Translation)
	case e.Kind == Table:
		w.perm &= e.Perm
		w.global = w.global || e.Global
		w.enter(e.Address, w.Height-1)
	case e.Address>>w.stage.OutputBits != 0:
		w.fail(AddressSize)
	case e.Unused:
		w.fail(AccessFlag)
	default:
		e.Perm &= w.perm
		e.Global = e.Global || w.global
		w.Result = Range{Output: e.Address, Shift: w.stage.shift(w.Height) + e.Group, Entry: e}
		w.Status = Finished
	}
	return w.Status
}
