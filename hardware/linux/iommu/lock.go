package iommu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// A ticket lock, arch/arm64/include/asm/spinlock.h up to v4.18: owner in the low half, next in the high.
const ticketNext = 1 << 16

// lock is spin_lock_irqsave of cmdq.lock.
func (d *Driver) lock(c *cpu.CPU) (masked bool) {
	masked = d.k.Arch.LocalIRQSave(c)
	at := d.dev + offLock
	if !d.Options.TicketLock {
		d.k.SpinLock(c, at)
		return masked
	}
	old := c.Atomic(at, 4, bus.Add, ticketNext, 0, bus.Acquire)
	if ticket := old >> 16 & 0xffff; ticket != old&0xffff {
		d.await(c, at, 2, bus.Acquire, 0xffff, ticket)
	}
	return masked
}

// unlock is spin_unlock_irqrestore.
func (d *Driver) unlock(c *cpu.CPU, masked bool) {
	at := d.dev + offLock
	if d.Options.TicketLock {
		owner := c.Load(at, 2, bus.Plain)
		c.Store(at, 2, owner+1&0xffff, bus.Release)
	} else {
		d.k.SpinUnlock(c, at)
	}
	d.k.Arch.LocalIRQRestore(c, masked)
}
