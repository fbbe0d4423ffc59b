package iommu

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// The first words of the kernel's CMD_SYNC: by MSI, to which the number is or-ed, and by SEV. The SMMU's MSIs are
// written as inner-shareable write-back.
const (
	syncMSI = uint64(smmu.CMD_SYNC) | uint64(smmu.SIG_IRQ)<<12 | uint64(smmu.InnerShareable)<<22 | 0xf<<24
	syncSEV = uint64(smmu.CMD_SYNC) | uint64(smmu.SIG_SEV)<<12 | uint64(smmu.InnerShareable)<<22 | 0xf<<24
)

// Sync is arm_smmu_cmdq_issue_sync: all commands that this CPU has issued are complete when it returns, unless it gave
// up, which it reports as the kernel does not.
func (d *Driver) Sync(c *cpu.CPU) (complete bool) {
	c.Enter("arm_smmu_cmdq_issue_sync")
	defer c.Leave()
	d.stats.Syncs++
	switch {
	case d.Options.Lockless:
		complete = d.issueCmdlist(c, nil, true)
	case d.Options.MSI:
		complete = d.pollMSI(c, d.queueSync(c))
	default:
		complete = d.syncPolled(c)
	}
	if !complete {
		d.stats.Timeouts++
	}
	return complete
}

// queueSync puts a CMD_SYNC into the queue, or finds that the one that is last in it will do, and answers the number to
// wait for.
func (d *Driver) queueSync(c *cpu.CPU) (idx uint32) {
	o := &d.Options
	if o.Numbering == NumberedOutside {
		idx = d.draw(c)
	}
	if o.Building == BuiltOutside {
		c.Exec(o.Costs.BuildGeneric)
	}
	return d.insertSync(c, idx)
}

// draw is atomic_inc_return_relaxed(&smmu->sync_nr).
func (d *Driver) draw(c *cpu.CPU) uint32 {
	return uint32(c.Atomic(d.dev+offSyncNr, 4, bus.Add, 1, 0, bus.Plain)) + 1
}

// insertSync is the part with the lock held; idx is the number, if it was drawn before.
func (d *Driver) insertSync(c *cpu.CPU, idx uint32) uint32 {
	o := &d.Options
	masked := d.lock(c)
	defer d.unlock(c, masked)
	if o.Skipping != SkipsNone && c.Load(d.dev+offPrevCmd, 4, bus.Plain) == uint64(smmu.CMD_SYNC) {
		d.stats.Skipped++
		if o.Numbering == NumberedOutside && o.Skipping == SkipsInserted {
			return d.lastInserted(c)
		}
		return uint32(c.Load(d.dev+offSyncNr, 4, bus.Plain))
	}
	if o.Numbering == NumberedInside {
		idx = uint32(c.Load(d.dev+offSyncNr, 4, bus.Plain)) + 1
		c.Store(d.dev+offSyncNr, 4, uint64(idx), bus.Plain)
	}
	switch {
	case o.Building == BuiltInside:
		c.Exec(o.Costs.BuildGeneric)
	case o.Building == BuiltShort:
		c.Exec(o.Costs.BuildSync)
	case o.Numbering == NumberedInside:
		c.Exec(o.Costs.Or)
	}
	d.insert(c, Command{syncMSI | uint64(idx)<<32, d.dev + offSyncCount})
	return idx
}

// lastInserted is the number of the CMD_SYNC that stands last in the queue: its own entry has it.
func (d *Driver) lastInserted(c *cpu.CPU) uint32 {
	last := c.Load(d.dev+offProd, 4, bus.Plain) - 1
	return uint32(smmu.CMD_SYNC0_MSIDATA.Get(c.Load(d.slot(last), 8, bus.Plain)))
}

// pollMSI is __arm_smmu_sync_poll_msi: the SMMU writes the numbers of the CMD_SYNCs that are complete to sync_count.
func (d *Driver) pollMSI(c *cpu.CPU, idx uint32) bool {
	p := &d.cpus[c.ID]
	p.idx = idx
	_, ok := c.Wait(d.dev+offSyncCount, 4, bus.Acquire, p.reached, syncTimeout)
	return ok
}

// syncPolled is __arm_smmu_cmdq_issue_sync: the queue is drained with the lock held.
func (d *Driver) syncPolled(c *cpu.CPU) bool {
	c.Exec(d.Options.Costs.BuildGeneric)
	masked := d.lock(c)
	defer d.unlock(c, masked)
	d.insert(c, Command{syncSEV, 0})
	prod := c.Load(d.dev+offProd, 4, bus.Plain)
	empty := func(cons uint64) bool { return cons == prod }
	return empty(d.pollCons(c, syncTimeout, empty))
}
