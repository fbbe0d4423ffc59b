package bus

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// A Master is whoever begins transactions: a CPU, or a device that reaches memory by itself. A device with several
// identities (the functions of a PCIe root complex) is as many masters.
type Master struct {
	Name        string // as traces and remarks have it: "CPU3"
	DeviceID    uint32 // to an ITS
	StreamID    uint32 // to an SMMU
	SubstreamID uint32 // the PASID, 0 if there is none
}

// Op is what a transaction does.
type Op uint8

// The operations.
const (
	Read         Op = iota
	Write           // the bytes of the transaction
	ReadModify      // a read-modify-write in one step, by Transaction.Atomic
	Clean           // what a cache holds of the line is written back
	CleanDiscard    // ... and no cache keeps a copy
)

// String is the operation's name in messages.
func (o Op) String() string {
	return [...]string{"read", "write", "read-modify-write", "clean", "clean and discard"}[o]
}

// MaxLength is the largest length of a transaction in bytes.
const MaxLength = 64

// Cacheability is a cache policy with its allocation hints (DDI 0487, B2.7).
type Cacheability uint8

// The policies, and the hints that go with the cacheable ones.
const (
	NonCacheable  Cacheability = 0
	WriteThrough  Cacheability = 1
	WriteBack     Cacheability = 2
	ReadAllocate  Cacheability = 1 << 2
	WriteAllocate Cacheability = 1 << 3

	policyMask = WriteThrough | WriteBack
)

// Cacheable reports whether caches may hold the data at all.
func (c Cacheability) Cacheable() bool { return c&policyMask != NonCacheable }

// Attr are the attributes of a transaction.
type Attr struct {
	Shareability Domain // FullSystem does not occur
	Inner, Outer Cacheability
	Privileged   bool
}

// Normal are the attributes with which kernels map RAM: inner-shareable, write-back, allocating.
var Normal = Attr{
	Shareability: InnerShareable, Privileged: true,
	Inner: WriteBack | ReadAllocate | WriteAllocate, Outer: WriteBack | ReadAllocate | WriteAllocate,
}

// Snoops reports whether the transaction is coherent with the CPUs' caches. One that is not sees memory behind them.
func (a Attr) Snoops() bool { return a.Shareability != NonShareable && a.Inner.Cacheable() }

// A Transaction is an access on the bus. Its target fills Data in; who begins one keeps it and uses it again, so that
// transactions allocate nothing.
type Transaction struct {
	Master *Master
	At     sim.Time // when it reaches its target
	Addr   Addr
	Len    uint8 // bytes, 1 to MaxLength, within one line of 64 bytes
	Op     Op
	Attr   Attr

	// Of a ReadModify: the operation and, for a compare-and-swap, what memory must hold. Data is the operand, then the
	// old value.
	Atomic  AtomicOp
	Compare uint64

	Data [MaxLength / 8]uint64 // little-endian, the first byte of the access in the lowest of Data[0]
}

// Served says what answered a transaction.
type Served uint8

// The places.
const (
	ByNobody Served = iota // it faulted
	ByDevice
	ByCache // a CPU's
	BySystemCache
	ByMemory // no cache holds the line
)

// String is the place in reports.
func (s Served) String() string {
	return [...]string{"nobody", "device", "cache", "system cache", "memory"}[s]
}

// Fault is why a transaction did not do what was asked. Each architecture makes its own exception of it.
type Fault uint8

// The faults.
const (
	NoFault    Fault = iota
	Unmapped         // neither memory nor a device is there
	Misaligned       // not aligned to its size, or across lines
	Refused          // the target cannot do this: an atomic on a register, a length that a device does not take

	// NoRegister: a device has no register there, or none of this size. That is no error on the bus: the read gives zero
	// and the write is ignored, and the master remarks it.
	NoRegister
)

// String says what is wrong.
func (f Fault) String() string {
	return [...]string{
		"no fault", "no memory and no device", "not aligned", "not possible there", "no register of this size",
	}[f]
}

// An Answer says how a transaction ended.
type Answer struct {
	Done   sim.Time // when the data is there, or the write is seen by all
	Served Served
	Fault  Fault
}

// A Target answers transactions: memory, or a device that wants to know the master.
type Target interface {
	Transact(t *Transaction) Answer
}

// Transact hands a transaction to the device of its address.
func (m *Map) Transact(t *Transaction) Answer {
	r := m.Find(t.Addr)
	if r == nil {
		return Answer{Done: t.At, Fault: Unmapped}
	}
	return r.Transact(t)
}

// Transact makes a transaction an access to the region's registers: the one place where the two meet.
func (r *Region) Transact(t *Transaction) Answer {
	if r.Target != nil {
		return r.Target.Transact(t)
	}
	a := Answer{Done: t.At, Served: ByDevice}
	w := Width(t.Len)
	switch off := uint64(t.Addr - r.Base); {
	case t.Len > uint8(W64) || t.Len&(t.Len-1) != 0 || t.Op > Write:
		a.Served, a.Fault = ByNobody, Refused
	case off&uint64(w-1) != 0:
		a.Served, a.Fault = ByNobody, Misaligned
	case t.Op == Read:
		v, ok := r.Device.ReadReg(off, w) // a hole reads as zero
		if t.Data[0] = v; !ok {
			a.Fault = NoRegister
		}
	default:
		if !r.Device.WriteReg(off, w, t.Data[0]) {
			a.Fault = NoRegister
		}
	}
	return a
}

// Register names an address of the region in messages: "GICD+0x000c".
func (r *Region) Register(a Addr) string { return fmt.Sprintf("%s+0x%04x", r.Name, uint64(a-r.Base)) }
