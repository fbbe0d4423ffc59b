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

// issueCmdlist is arm_smmu_cmdq_issue_cmdlist: some commands, in one piece, and with sync a CMD_SYNC behind them, of
// which it answers false if it was not complete in time.
func (d *Driver) issueCmdlist(c *cpu.CPU, cmds []Command, sync bool) bool {
	masked := d.k.Arch.LocalIRQSave(c)
	n := uint64(len(cmds))
	if sync {
		n++
	}
	start, owner := d.allocateSpace(c, n, masked)
	complete := d.putAt(c, start, owner, cmds, sync)
	d.k.Arch.LocalIRQRestore(c, masked)
	return complete
}

// putAt is the rest, with entries taken.
func (d *Driver) putAt(c *cpu.CPU, start uint64, owner bool, cmds []Command, sync bool) bool {
	end := start
	for _, cmd := range cmds {
		d.put(c, end, cmd)
		end = (end + 1) & d.mask()
	}
	last := end
	if sync {
		cmd := Command{syncSEV, 0}
		if d.Options.MSI {
			cmd = Command{syncMSI, d.slot(end)}
		}
		d.put(c, end, cmd)
		end = (end + 1) & d.mask()
		d.sharedLock(c)
	}
	c.Fence(d.dmb)
	d.eachValid(start, end, func(addr, bits, _ uint64) { c.Atomic(addr, 8, bus.Xor, bits, 0, bus.Plain) })
	if owner {
		d.publish(c, start)
	}
	if !sync {
		return true
	}
	cons, complete := d.pollSlot(c, last)
	d.sharedUnlock(c, cons)
	return complete
}

// put writes an entry.
func (d *Driver) put(c *cpu.CPU, p uint64, cmd Command) {
	at := d.slot(p)
	c.Store(at, 8, cmd[0], bus.Plain)
	c.Store(at+8, 8, cmd[1], bus.Plain)
	d.stats.Commands++
}

// allocateSpace takes n entries of the queue, and tells whether this CPU is the one that will write PROD for all that
// take entries behind them meanwhile.
func (d *Driver) allocateSpace(c *cpu.CPU, n uint64, masked bool) (start uint64, owner bool) {
	at := d.dev + offLLQ
	v := c.Load(at, 8, bus.Plain)
	for {
		c.Exec(d.Options.Costs.Lockless)
		for d.space(v, v>>llqCons) < n {
			d.k.Arch.LocalIRQRestore(c, masked)
			v = d.pollNotFull(c)
			d.k.Arch.LocalIRQSave(c)
		}
		next := v&^uint64(1<<llqCons-1) | (v+n)&d.mask() | llqOwned
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

// eachValid is __arm_smmu_cmdq_poll_set_valid_map: the words of the valid map that entries from start to end have bits
// in, the bits, and what they are when the entries are valid: the inverse of the wrap bit.
func (d *Driver) eachValid(start, end uint64, word func(addr, bits, valid uint64)) {
	entries := uint64(1) << d.Options.EntriesLog2
	for p := start; p != end; {
		index := p & (entries - 1)
		first := index % 64
		n := min(64-first, (end-p)&d.mask(), entries-index)
		bits := ^uint64(0) >> (64 - n) << first
		valid := bits
		if p&entries != 0 {
			valid = 0
		}
		word(d.valid+index/64*8, bits, valid)
		p = (p + n) & d.mask()
	}
}

// publish is what the owner does: it waits for its turn, closes the range, waits until all entries of it are valid, and
// writes PROD once for all.
func (d *Driver) publish(c *cpu.CPU, start uint64) {
	d.await(c, d.dev+offOwnerProd, 4, bus.Plain, 0xffff_ffff, start)
	end := c.Atomic(d.dev+offLLQ, 4, bus.Clear, llqOwned, 0, bus.Plain) & d.mask()
	d.eachValid(start, end, func(addr, bits, valid uint64) {
		if c.Load(addr, 8, bus.Plain)&bits != valid {
			d.await(c, addr, 8, bus.Plain, bits, valid)
		}
	})
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
