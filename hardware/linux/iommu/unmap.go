package iommu

import (
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

const pageShift = 12

// Map is the store of a descriptor of a page: iommu_map of one page whose tables are there. Nothing is invalidated,
// since what was not mapped is cached nowhere.
func (d *Driver) Map(c *cpu.CPU, pte, descriptor uint64) {
	c.Exec(d.Options.Costs.Unmap)
	c.Store(pte, 8, descriptor, bus.Plain)
	c.Fence(d.dmb)
}

// Unmap is a strict iommu_unmap of some pages: their descriptors are cleared, the TLB invalidated by ASID and address,
// and the CMD_SYNC waited for. When it answers true no access of a device reaches the pages any more.
func (d *Driver) Unmap(c *cpu.CPU, pte, iova, pages uint64, asid uint16) (complete bool) {
	c.Enter("__iommu_unmap")
	defer c.Leave()
	d.clear(c, pte, pages)
	return d.invalidate(c, iova, pages, asid)
}

// UnmapLazy clears the descriptors alone: until [Driver.Flush] devices may still reach the pages, which must not be
// used for anything else.
func (d *Driver) UnmapLazy(c *cpu.CPU, pte, pages uint64) { d.clear(c, pte, pages) }

// Flush is iommu_flush_iotlb_all: all of an address space, and its CMD_SYNC.
func (d *Driver) Flush(c *cpu.CPU, asid uint16) (complete bool) {
	v := smmu.CMD0_Opcode.Put(0, uint64(smmu.CMD_TLBI_NH_ASID))
	d.Issue(c, Command{smmu.CMD_TLBI0_ASID.Put(v, uint64(asid)), 0})
	return d.Sync(c)
}

func (d *Driver) clear(c *cpu.CPU, pte, pages uint64) {
	for i := range pages {
		c.Exec(d.Options.Costs.Unmap)
		c.Store(pte+8*i, 8, 0, bus.Plain)
	}
}

// invalidate is arm_smmu_tlb_inv_range and its CMD_SYNC: a command for each page, or with Ranges for each power of two
// of them. Up to v5.4 each command is inserted for itself; without a lock they are put into the queue by up to 64, the
// last with the CMD_SYNC.
func (d *Driver) invalidate(c *cpu.CPU, iova, pages uint64, asid uint16) bool {
	p, n := &d.cpus[c.ID], 0
	for pages > 0 {
		cmd, covered := d.tlbi(iova, pages, asid)
		c.Exec(d.Options.Costs.BuildGeneric)
		iova, pages = iova+covered<<pageShift, pages-covered
		if !d.Options.Lockless {
			masked := d.lock(c)
			d.insert(c, cmd)
			d.unlock(c, masked)
			continue
		}
		if n == batchEntries {
			d.issueCmdlist(c, p.batch[:], false)
			n = 0
		}
		p.batch[n] = cmd
		n++
	}
	if !d.Options.Lockless {
		return d.Sync(c)
	}
	d.stats.Syncs++
	complete := d.issueCmdlist(c, p.batch[:n], true)
	if !complete {
		d.stats.Timeouts++
	}
	return complete
}

// tlbi is the command for the first of some pages, and how many of them it covers. A range is a multiple of the largest
// power of two that divides the number of pages.
func (d *Driver) tlbi(iova, pages uint64, asid uint16) (Command, uint64) {
	v := smmu.CMD0_Opcode.Put(0, uint64(smmu.CMD_TLBI_NH_VA))
	v = smmu.CMD_TLBI0_ASID.Put(v, uint64(asid))
	w := iova&uint64(smmu.CMD_TLBI1_Address) | uint64(smmu.CMD_TLBI1_Leaf)
	if !d.Options.Ranges {
		return Command{v, w}, 1
	}
	const lastLevel = 3
	scale := uint64(mathbits.TrailingZeros64(pages))
	num := pages >> scale & smmu.CMD_TLBI0_NUM.Max()
	v = smmu.CMD_TLBI0_NUM.Put(smmu.CMD_TLBI0_SCALE.Put(v, scale), num-1)
	w = smmu.CMD_TLBI1_TTL.Put(smmu.CMD_TLBI1_TG.Put(w, uint64(smmu.Range4K)), lastLevel)
	return Command{v, w}, num << scale
}
