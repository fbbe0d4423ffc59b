package iommu

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The words of struct arm_smmu_ll_queue: prod in the low half of the value, with a flag that the range is owned, cons
// in the high half.
const (
	llqOwned      = 1 << 31
	llqCons       = 32
	exclusiveLock = 1 << 31 // INT_MIN
)

// issueCmdlist is arm_smmu_cmdq_issue_cmdlist, for one command or one CMD_SYNC. With the latter it answers false if
// that did not complete in time.
func (d *Driver) issueCmdlist(c *cpu.CPU, cmd Command, sync bool) bool {
	masked := d.k.Arch.LocalIRQSave(c)
	start, owner := d.allocateSpace(c, masked)
	complete := d.putAt(c, start, owner, cmd, sync)
	d.k.Arch.LocalIRQRestore(c, masked)
	return complete
}

// putAt is the rest, with an entry taken.
func (d *Driver) putAt(c *cpu.CPU, start uint64, owner bool, cmd Command, sync bool) bool {
	at := d.slot(start)
	if sync {
		cmd = Command{syncSEV, 0}
		if d.Options.MSI {
			cmd = Command{syncMSI, at}
		}
	}
	c.Store(at, 8, cmd[0], bus.Plain)
	c.Store(at+8, 8, cmd[1], bus.Plain)
	if sync {
		d.sharedLock(c)
	}
	c.Fence(d.dmb)
	d.setValid(c, start)
	d.stats.Commands++
	if owner {
		d.publish(c, start)
	}
	if !sync {
		return true
	}
	cons, complete := d.pollSlot(c, start)
	d.sharedUnlock(c, cons)
	return complete
}

// allocateSpace takes an entry of the queue, and whether this CPU is the one that will write PROD for all that take
// entries behind it meanwhile.
func (d *Driver) allocateSpace(c *cpu.CPU, masked bool) (start uint64, owner bool) {
	at := d.dev + offLLQ
	v := c.Load(at, 8, bus.Plain)
	for {
		c.Exec(d.Options.Costs.Lockless)
		for d.space(v, v>>llqCons) == 0 {
			d.k.Arch.LocalIRQRestore(c, masked)
			v = d.pollNotFull(c)
			d.k.Arch.LocalIRQSave(c)
		}
		next := v&^uint64(1<<llqCons-1) | (v+1)&d.mask() | llqOwned
		old := c.Atomic(at, 8, bus.CompareAndSwap, next, v, bus.Plain)
		if old == v {
			return v & d.mask(), v&llqOwned == 0
		}
		v = old
	}
}

// pollNotFull is arm_smmu_cmdq_poll_until_not_full: who gets the lock for itself alone reads CONS; the others look at
// the shadow.
func (d *Driver) pollNotFull(c *cpu.CPU) uint64 {
	d.stats.Full++
	if c.Atomic(d.dev+offLLQLock, 4, bus.CompareAndSwap, exclusiveLock, 0, bus.Plain) == 0 {
		cons := d.read(c, smmu.SMMU_CMDQ_CONS) & d.mask()
		c.Store(d.dev+offLLQ+4, 4, cons, bus.Plain)
		c.Store(d.dev+offLLQLock, 4, 0, bus.Release)
	} else {
		d.relax(c, 10)
	}
	return c.Load(d.dev+offLLQ, 8, bus.Plain)
}

// sharedLock is arm_smmu_cmdq_shared_lock: CONS must not pass this CPU's entry while it looks at that.
func (d *Driver) sharedLock(c *cpu.CPU) {
	at := d.dev + offLLQLock
	if int32(c.Atomic(at, 4, bus.Add, 1, 0, bus.Plain)) >= 0 {
		return
	}
	for {
		v, _ := c.Wait(at, 4, bus.Plain, notExclusive, cpu.Forever)
		if c.Atomic(at, 4, bus.CompareAndSwap, v+1, v, bus.Plain) == v {
			return
		}
	}
}

func notExclusive(v uint64) bool { return int32(v) >= 0 }

// sharedUnlock is arm_smmu_cmdq_shared_tryunlock, and what its caller does: who is the last to look moves the shadow of
// CONS.
func (d *Driver) sharedUnlock(c *cpu.CPU, cons uint64) {
	at := d.dev + offLLQLock
	if c.Load(at, 4, bus.Plain) == 1 {
		c.Store(d.dev+offLLQ+4, 4, cons, bus.Plain)
	}
	c.Atomic(at, 4, bus.Add, 0xffff_ffff, 0, bus.Release)
}

// validWord is where the bit of an entry is, and what the bit is when the entry is valid: the inverse of the wrap bit.
func (d *Driver) validWord(p uint64) (addr, bit uint64) {
	index := p & (1<<d.Options.EntriesLog2 - 1)
	return d.valid + index/64*8, 1 << (index % 64)
}

// setValid is arm_smmu_cmdq_set_valid_map.
func (d *Driver) setValid(c *cpu.CPU, p uint64) {
	addr, bit := d.validWord(p)
	c.Atomic(addr, 8, bus.Xor, bit, 0, bus.Plain)
}

// awaitValid is arm_smmu_cmdq_poll_valid_map, of one entry.
func (d *Driver) awaitValid(c *cpu.CPU, p uint64) {
	addr, bit := d.validWord(p)
	want := bit
	if p>>d.Options.EntriesLog2&1 != 0 {
		want = 0
	}
	if c.Load(addr, 8, bus.Plain)&bit != want {
		d.await(c, addr, 8, bus.Plain, bit, want)
	}
}

// publish is what the owner does: it waits for its turn, closes the range, waits until all entries of it are valid, and
// writes PROD once for all.
func (d *Driver) publish(c *cpu.CPU, start uint64) {
	d.await(c, d.dev+offOwnerProd, 4, bus.Plain, 0xffff_ffff, start)
	end := c.Atomic(d.dev+offLLQ, 4, bus.Clear, llqOwned, 0, bus.Plain) & d.mask()
	for at := start; at != end; at = (at + 1) & d.mask() {
		d.awaitValid(c, at)
	}
	d.write(c, smmu.SMMU_CMDQ_PROD, end)
	c.Store(d.dev+offOwnerProd, 4, end, bus.Release)
}

// cleared: an MSI of 0 has overwritten the first word of a CMD_SYNC.
func cleared(v uint64) bool { return v == 0 }

// pollSlot is arm_smmu_cmdq_poll_until_sync; it answers how far the queue is consumed at least.
func (d *Driver) pollSlot(c *cpu.CPU, start uint64) (cons uint64, complete bool) {
	next := (start + 1) & d.mask()
	if d.Options.MSI {
		_, complete = c.Wait(d.slot(start), 4, bus.Plain, cleared, syncTimeout)
		return next, complete
	}
	for end := c.Now() + syncTimeout; ; {
		cons = d.read(c, smmu.SMMU_CMDQ_CONS) & d.mask()
		c.Fence(d.rmb)
		if (cons-next)&d.mask() <= 1<<d.Options.EntriesLog2 {
			return cons, true
		}
		if c.Now() > end {
			return cons, false
		}
		c.Delay(sim.Microsecond)
	}
}
