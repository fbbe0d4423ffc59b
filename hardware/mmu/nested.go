package mmu

// Purpose is what stage 2 translates an address for.
type Purpose uint8

// The purposes.
const (
	ForInput      Purpose = iota // the input, or what stage 1 has made of it
	ForDescriptor                // a descriptor of stage 1
)

// A Nested walk translates an address by stage 1, stage 2, or both. The zero Nested is idle.
type Nested struct {
	Status  Status
	Fault   Fault
	Second  bool    // what is read, or has faulted, is of stage 2
	Purpose Purpose // of stage 2
	IPA     uint64  // what stage 2 translates, or has translated last
	Result  Combined

	one, two    *Stage
	first, next Walk // of stage 1, and of stage 2
	input       uint64
}

// Combined is the result of a Nested walk: one range with one output, with what each stage says of it.
type Combined struct {
	Output uint64 // of the first address of the range
	Shift  uint8  // log2 of the range's bytes
	IPA    uint64 // with two stages: of the first address of the range
	Perm   Perm   // that both stages give
	One    Entry  // the leaf of stage 1; the zero Entry without that stage
	Two    Entry  // the leaf of stage 2; the zero Entry without that stage
}

// At is the output of an address in the range.
func (c *Combined) At(input uint64) uint64 { return c.Output | input&(1<<c.Shift-1) }

// Begin starts a walk; a stage that is nil is missing, and one is there. Both stay the caller's, and as they are until
// the walk ends.
func (n *Nested) Begin(one, two *Stage, input uint64) Status {
	*n = Nested{one: one, two: two, input: input}
	if one == nil {
		return n.second(input, ForInput)
	}
	n.first.Begin(one, input)
	return n.follow()
}

// follow goes on where stage 1 stands.
func (n *Nested) follow() Status {
	n.Second = false
	n.Status, n.Fault = n.first.Status, n.first.Fault
	switch {
	case n.Status == Reading && n.two != nil:
		return n.second(n.first.Descriptor(), ForDescriptor)
	case n.Status == Finished && n.two != nil:
		return n.second(n.first.Result.At(n.input), ForInput)
	case n.Status == Finished:
		r := &n.first.Result
		n.Result = Combined{Output: r.Output, Shift: r.Shift, IPA: r.Output, Perm: r.Entry.Perm, One: r.Entry}
	}
	return n.Status
}

// second sends an address through stage 2.
func (n *Nested) second(ipa uint64, p Purpose) Status {
	n.Second, n.Purpose, n.IPA = true, p, ipa
	if ipa>>n.two.InputBits != 0 {
		n.Status, n.Fault = Faulted, Translation
		return n.Status
	}
	n.Status, n.Fault = n.next.Begin(n.two, ipa), n.next.Fault
	return n.Status
}

// Descriptor is the physical address of the descriptor that the walk waits for.
func (n *Nested) Descriptor() uint64 {
	switch {
	case n.Second && n.next.Status == Reading:
		return n.next.Descriptor()
	case n.Second: // stage 2 has told where the descriptor of stage 1 is
		return n.next.Result.At(n.IPA)
	}
	return n.first.Descriptor()
}

// Height is that of the table that the walk reads, or in which it has faulted, of the stage that Second says.
func (n *Nested) Height() int8 {
	if n.Second {
		return n.next.Height
	}
	return n.first.Height
}

// OfStage1 reports whether the descriptor that the walk waits for is one of stage 1.
func (n *Nested) OfStage1() bool { return !n.Second || n.next.Status == Finished }

// Give goes on with the descriptor.
func (n *Nested) Give(descriptor uint64) Status {
	switch {
	case n.Status != Reading:
		panic("BUG: a page table walk is given a descriptor that it does not wait for")
	case n.OfStage1():
		n.first.Give(descriptor)
		return n.follow()
	}
	n.Status, n.Fault = n.next.Give(descriptor), n.next.Fault
	switch {
	case n.Status != Finished:
	case n.Purpose == ForDescriptor && n.next.Result.Entry.Perm&ReadPrivileged == 0:
		n.Status, n.Fault = Faulted, Permission
	case n.Purpose == ForDescriptor:
		n.Status = Reading // of that descriptor
	default:
		n.finish()
	}
	return n.Status
}

// finish joins what the stages say: the smaller range, and what both permit.
func (n *Nested) finish() {
	r := &n.next.Result
	c := Combined{Shift: r.Shift, Perm: r.Entry.Perm, Two: r.Entry}
	if n.one != nil {
		c.Shift = min(c.Shift, n.first.Result.Shift)
		c.Perm &= n.first.Result.Entry.Perm
		c.One = n.first.Result.Entry
	}
	low := uint64(1)<<c.Shift - 1
	c.Output, c.IPA = r.At(n.IPA)&^low, n.IPA&^low
	n.Result = c
}

// FirstShift is log2 of the bytes that the leaf of stage 1 stands for, in a walk that has finished and has that stage.
func (n *Nested) FirstShift() uint8 { return n.first.Result.Shift }
