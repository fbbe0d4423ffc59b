package linux

import (
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// Queued spinlocks, kernel/locking/qspinlock.c: a word of 4 bytes, and behind the first two that want it a queue in
// which each CPU spins on a line of its own.

// The lock word, with less than 16384 CPUs (include/asm-generic/qspinlock_types.h). The index of the node in tail is
// always 0 here: no path takes a spinlock inside of another.
const (
	qLocked  bits.Field = 0xff << 0    // [7:0]
	qPending bits.Field = 1 << 8       // [8]
	qTail    bits.Field = 0xffff << 16 // [31:16] CPU + 1 in bits [31:18]

	qTailIndexBits = 2
)

// struct mcs_spinlock.
const (
	mcsNext   = 0
	mcsLocked = 8
)

var mcsNames = map[uint64]string{mcsNext: "mcs_node.next", mcsLocked: "mcs_node.locked"}

func (k *Kernel) allocateNodes() error {
	return k.allocate(&k.late.nodes, len(k.percpu), k.platform.Node)
}

// AllocateSpinLock gives a driver a lock, in a line of which it may use what is behind the first 8 bytes.
func (k *Kernel) AllocateSpinLock() (lock uint64, err error) {
	if err := k.allocateNodes(); err != nil {
		return 0, err
	}
	return k.platform.AllocateMemory(mem.LineSize, 0)
}

// SpinLock is queued_spin_lock, of a lock that is allocated together with the queue's nodes.
func (k *Kernel) SpinLock(c *cpu.CPU, lock uint64) {
	v := c.Atomic(lock, 4, bus.CompareAndSwap, 1, 0, bus.Acquire)
	c.Branch(c.Loaded())
	if v != 0 {
		k.spinLockSlowpath(c, lock, v)
	}
}

// SpinUnlock is queued_spin_unlock.
func (k *Kernel) SpinUnlock(c *cpu.CPU, lock uint64) { k.Arch.SmpStoreRelease(c, lock, 1, 0) }

// spinLockSlowpath is queued_spin_lock_slowpath: the second waits for the first with the pending bit, later ones queue.
func (k *Kernel) spinLockSlowpath(c *cpu.CPU, lock, v uint64) {
	if v == uint64(qPending) { // it is being handed over
		v = k.Arch.SmpCondLoadAcquire(c, lock, 4, func(v uint64) bool { return v != uint64(qPending) })
	}
	if v&^uint64(qLocked) == 0 {
		v = c.Atomic(lock, 4, bus.Set, uint64(qPending), 0, bus.Acquire)
		c.Branch(c.Loaded())
		if v&^uint64(qLocked) == 0 {
			if v != 0 {
				k.Arch.SmpCondLoadAcquire(c, lock, 1, isZero)
			}
			c.Store(lock, 2, 1, bus.Plain) // clear_pending_set_locked
			return
		}
		if !qPending.Is(v) {
			c.Atomic(lock, 4, bus.Clear, uint64(qPending), 0, bus.Plain)
		}
	}
	k.spinLockQueue(c, lock)
}

// spinLockQueue is the rest of the slow path: the MCS queue.
func (k *Kernel) spinLockQueue(c *cpu.CPU, lock uint64) {
	node := k.late.nodes[c.ID]
	tail := uint64(c.ID+1) << qTailIndexBits
	writeOnce(c, node+mcsLocked, 0)
	writeOnce(c, node+mcsNext, 0)
	c.Fence(k.smpWMB)
	old := c.Atomic(lock+2, 2, bus.Swap, tail, 0, bus.Plain) // xchg_tail
	c.Branch(c.Loaded())
	if old != 0 {
		previous := k.late.nodes[old>>qTailIndexBits-1]
		writeOnce(c, previous+mcsNext, node)
		k.Arch.SmpCondLoadAcquire(c, node+mcsLocked, 8, isSet)
	}
	v := k.Arch.SmpCondLoadAcquire(c, lock, 4, func(v uint64) bool { return v&uint64(qLocked|qPending) == 0 })
	if qTail.Get(v) == tail && c.Atomic(lock, 4, bus.CompareAndSwap, 1, v, bus.Plain) == v {
		return // nobody is behind
	}
	c.Store(lock, 1, 1, bus.Plain) // set_locked
	next := k.Arch.SmpCondLoadAcquire(c, node+mcsNext, 8, isSet)
	k.Arch.SmpStoreRelease(c, next+mcsLocked, 8, 1)
}

// AllocateSpinlocks allocates what CPUs queue with, for locks that a driver allocates itself.
func (k *Kernel) AllocateSpinlocks() error { return k.allocateNodes() }
