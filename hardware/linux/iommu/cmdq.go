package iommu

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Command is the two words of a command.
type Command [2]uint64

func (c Command) opcode() uint64 { return smmu.CMD0_Opcode.Get(c[0]) }

// How long the kernel polls: for room in the queue, after which it prints and begins anew, and for a CMD_SYNC, after
// which it prints and goes on.
const (
	fullTimeout = 100 * sim.Microsecond
	syncTimeout = sim.Second
)

// mask are the bits of a pointer: index and wrap.
func (d *Driver) mask() uint64 { return 2<<d.Options.EntriesLog2 - 1 }

// space is how many entries are free.
func (d *Driver) space(prod, cons uint64) uint64 {
	return 1<<d.Options.EntriesLog2 - (prod-cons)&d.mask()
}

// slot is the address of an entry.
func (d *Driver) slot(p uint64) uint64 {
	return d.queue + p&(1<<d.Options.EntriesLog2-1)*uint64(smmu.CommandSize)
}

// Issue is arm_smmu_cmdq_issue_cmd: one command, complete only behind a CMD_SYNC.
func (d *Driver) Issue(c *cpu.CPU, cmd Command) {
	c.Enter("arm_smmu_cmdq_issue_cmd")
	defer c.Leave()
	c.Exec(d.Options.Costs.BuildGeneric)
	if d.Options.Lockless {
		p := &d.cpus[c.ID]
		p.batch[0] = cmd
		d.issueCmdlist(c, p.batch[:1], false)
		return
	}
	masked := d.lock(c)
	d.insert(c, cmd)
	d.unlock(c, masked)
}

// insert is arm_smmu_cmdq_insert_cmd, with the lock held: room, the entry's two words, the shadow of PROD, a barrier,
// PROD.
func (d *Driver) insert(c *cpu.CPU, cmd Command) {
	c.Exec(d.Options.Costs.Insert)
	if d.Options.Skipping != SkipsNone {
		c.Store(d.dev+offPrevCmd, 4, cmd.opcode(), bus.Plain)
	}
	prod := c.Load(d.dev+offProd, 4, bus.Plain)
	for cons := c.Load(d.dev+offCons, 4, bus.Plain); d.space(prod, cons) == 0; {
		d.stats.Full++
		cons = d.pollCons(c, fullTimeout, func(cons uint64) bool { return d.space(prod, cons) > 0 })
	}
	at := d.slot(prod)
	c.Store(at, 8, cmd[0], bus.Plain)
	c.Store(at+8, 8, cmd[1], bus.Plain)
	prod = (prod + 1) & d.mask()
	c.Store(d.dev+offProd, 4, prod, bus.Plain)
	d.writeOrdered(c, smmu.SMMU_CMDQ_PROD, prod)
	d.stats.Commands++
}

// pollCons is queue_poll_cons: it reads CONS into its shadow until that satisfies a condition, or gives up. Between
// looks it relaxes nine times, then for 1, 2, 4, ... us.
func (d *Driver) pollCons(c *cpu.CPU, timeout sim.Time, done func(cons uint64) bool) (cons uint64) {
	end := c.Now() + timeout
	for spins, delay := 0, sim.Microsecond; ; {
		cons = d.read(c, smmu.SMMU_CMDQ_CONS) & d.mask()
		c.Store(d.dev+offCons, 4, cons, bus.Plain)
		if done(cons) || c.Now() > end {
			return cons
		}
		if spins++; spins < 10 {
			d.relax(c, 1)
			continue
		}
		c.Delay(delay)
		delay, spins = 2*delay, 0
	}
}
