package iommu

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// Map is the store of a descriptor of a page: iommu_map of one page whose tables are there. Nothing is invalidated,
// since what was not mapped is cached nowhere.
func (d *Driver) Map(c *cpu.CPU, pte, descriptor uint64) {
	c.Exec(d.Options.Costs.Unmap)
	c.Store(pte, 8, descriptor, bus.Plain)
	c.Fence(d.dmb)
}

// Unmap is a strict iommu_unmap of one page: its descriptor is cleared, the TLB invalidated by ASID and address, and
// the CMD_SYNC waited for. When it answers true no access of a device reaches the page any more.
func (d *Driver) Unmap(c *cpu.CPU, pte, iova uint64, asid uint16) (complete bool) {
	c.Enter("__iommu_unmap")
	defer c.Leave()
	c.Exec(d.Options.Costs.Unmap)
	c.Store(pte, 8, 0, bus.Plain)
	v := smmu.CMD0_Opcode.Put(0, uint64(smmu.CMD_TLBI_NH_VA))
	v = smmu.CMD_TLBI0_ASID.Put(v, uint64(asid))
	d.Issue(c, Command{v, iova&uint64(smmu.CMD_TLBI1_Address) | uint64(smmu.CMD_TLBI1_Leaf)})
	return d.Sync(c)
}
