package iommu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Platform is what the driver knows of the machine.
type Platform struct {
	SMMU     uint64 // physical address of the SMMU's registers
	Allocate func(size uint64) (uint64, error)
}

// The offsets of struct arm_smmu_device of v4.18 on arm64, from a line on: q.prod, q.cons and the lock share one line,
// sync_nr and prev_cmd_opcode another; sync_count lies beyond the bitmaps.
const (
	offProd      = 68
	offCons      = 72
	offLock      = 96
	offSyncNr    = 264
	offPrevCmd   = 268
	offSyncCount = 16 << 10

	structSize = offSyncCount + mem.LineSize
)

// Of struct arm_smmu_cmdq of v5.4, which keeps its words on lines of their own: llq.val; owner_prod and lock.
const (
	offLLQ       = 0
	offOwnerProd = mem.LineSize
	offLLQLock   = mem.LineSize + 4

	locklessSize = 2 * mem.LineSize
)

// Stats counts what the driver has done.
type Stats struct {
	Commands uint64 // inserted, CMD_SYNCs among them
	Syncs    uint64 // CMD_SYNCs asked for
	Skipped  uint64 // of these, left out
	Full     uint64 // rounds of waiting for room
	Timeouts uint64 // waits for a CMD_SYNC that gave up
}

// batchEntries is CMDQ_BATCH_ENTRIES.
const batchEntries = 64

// percpu is what one CPU keeps between its waits.
type percpu struct {
	idx     uint32              // the number that is awaited
	reached func(v uint64) bool // sync_count has come to it
	value   uint64              // what else is awaited, of the bits that bits has
	bits    uint64
	is      func(v uint64) bool // a word has it
	batch   [batchEntries]Command
}

// Driver is the driver of one SMMU.
type Driver struct {
	Options Options

	k     *linux.Kernel
	base  uint64 // of the registers
	dev   uint64 // struct arm_smmu_device, or struct arm_smmu_cmdq of v5.4
	queue uint64
	valid uint64 // valid_map of v5.4
	wmb   bus.Fence
	rmb   bus.Fence
	dmb   bus.Fence
	cpus  []percpu
	stats Stats
}

// New lays the driver's data out in memory. [Driver.Reset] makes the SMMU use it.
func New(k *linux.Kernel, o Options, p Platform, cpus int) (*Driver, error) {
	if o.EntriesLog2 < 1 || o.EntriesLog2 > uint8(smmu.MaxQueueLog2) {
		return nil, fmt.Errorf("a command queue of 2^%d entries: want 1 to %d", o.EntriesLog2, smmu.MaxQueueLog2)
	}
	d := &Driver{Options: o, k: k, base: p.SMMU, cpus: make([]percpu, cpus)}
	d.wmb, d.rmb, d.dmb = k.Barrier("wmb"), k.Barrier("rmb"), k.Barrier("dma_wmb")
	for i := range d.cpus {
		c := &d.cpus[i]
		c.reached = func(v uint64) bool { return int32(uint32(v)-c.idx) >= 0 }
		c.is = func(v uint64) bool { return v&c.bits == c.value }
	}
	size, state := uint64(smmu.CommandSize)<<o.EntriesLog2, uint64(structSize)
	if o.Lockless {
		state = locklessSize
	}
	for _, part := range []struct {
		at          *uint64
		size, align uint64
	}{
		{&d.dev, state, mem.LineSize}, {&d.queue, size, max(size, mem.LineSize)},
		{&d.valid, max(uint64(1)<<o.EntriesLog2/8, mem.LineSize), mem.LineSize},
	} {
		addr, err := p.Allocate(part.size + part.align - mem.LineSize)
		if err != nil {
			return nil, err
		}
		*part.at = (addr + part.align - 1) &^ (part.align - 1)
	}
	if !o.Lockless && !o.TicketLock {
		return d, k.AllocateSpinlocks()
	}
	return d, nil
}

// Stats returns the counters.
func (d *Driver) Stats() Stats { return d.stats }

// Queue is where the command queue is.
func (d *Driver) Queue() uint64 { return d.queue }

// write is writel_relaxed, and writeOrdered writel: a barrier first.
func (d *Driver) write(c *cpu.CPU, off, v uint64) { c.Store(d.base+off, 4, v, bus.Plain) }

func (d *Driver) writeOrdered(c *cpu.CPU, off, v uint64) {
	if d.Options.DMBWrites {
		c.Fence(d.dmb)
	} else {
		c.Fence(d.wmb)
	}
	d.write(c, off, v)
}

// read is readl_relaxed.
func (d *Driver) read(c *cpu.CPU, off uint64) uint64 { return c.Load(d.base+off, 4, bus.Plain) }

// The CR1 of a kernel: queues and tables are inner-shareable and write-back.
const cr1 = uint64(smmu.CacheWB)<<0 | uint64(smmu.CacheWB)<<2 | uint64(smmu.InnerShareable)<<4 |
	uint64(smmu.CacheWB)<<6 | uint64(smmu.CacheWB)<<8 | uint64(smmu.InnerShareable)<<10

// Reset is arm_smmu_device_reset as far as the command queue goes: it is turned on, and what caches have is
// invalidated. It fails where CR0ACK does not follow within 1 ms. strtab and its log2 are the stream table, 0 for
// none.
func (d *Driver) Reset(c *cpu.CPU, strtab uint64, log2 uint8) error {
	if err := d.writeCR0(c, 0); err != nil {
		return err
	}
	d.write(c, smmu.SMMU_CR1, cr1)
	c.Store(d.base+smmu.SMMU_STRTAB_BASE, 8, uint64(smmu.SMMU_STRTAB_BASE_RA)|strtab, bus.Plain)
	d.write(c, smmu.SMMU_STRTAB_BASE_CFG, uint64(log2))
	c.Store(d.base+smmu.SMMU_CMDQ_BASE, 8, uint64(smmu.SMMU_CMDQ_BASE_RA)|d.queue|uint64(d.Options.EntriesLog2), bus.Plain)
	d.write(c, smmu.SMMU_CMDQ_PROD, 0)
	d.write(c, smmu.SMMU_CMDQ_CONS, 0)
	on := uint64(smmu.SMMU_CR0_CMDQEN)
	if err := d.writeCR0(c, on); err != nil {
		return err
	}
	d.Issue(c, Command{uint64(smmu.CMD_CFGI_STE_RANGE), uint64(smmu.RangeAll)})
	d.Sync(c)
	d.Issue(c, Command{uint64(smmu.CMD_TLBI_NSNH_ALL), 0})
	d.Sync(c)
	if strtab == 0 {
		return nil
	}
	return d.writeCR0(c, on|uint64(smmu.SMMU_CR0_SMMUEN))
}

// writeCR0 is arm_smmu_write_reg_sync.
func (d *Driver) writeCR0(c *cpu.CPU, v uint64) error {
	d.write(c, smmu.SMMU_CR0, v)
	for end := c.Now() + sim.Millisecond; d.read(c, smmu.SMMU_CR0ACK) != v; {
		if c.Now() > end {
			return fmt.Errorf("SMMU_CR0ACK does not become 0x%x", v)
		}
		d.relax(c, 1)
	}
	return nil
}

// await waits until some bits of a word have a value.
func (d *Driver) await(c *cpu.CPU, addr uint64, size uint8, order bus.Order, bits, value uint64) {
	p := &d.cpus[c.ID]
	p.bits, p.value = bits, value
	c.Wait(addr, size, order, p.is, cpu.Forever)
}

// relax is cpu_relax, n times.
func (d *Driver) relax(c *cpu.CPU, n int64) { c.Exec(n) }
