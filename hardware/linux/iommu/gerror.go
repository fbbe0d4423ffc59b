package iommu

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// HandleGError is arm_smmu_gerror_handler, the handler of the interrupt of global errors. It answers false where the
// kernel takes the interrupt for somebody else's. It takes no lock, and leaves the shadows of PROD and CONS alone.
func (d *Driver) HandleGError(c *cpu.CPU) (handled bool) {
	c.Enter("arm_smmu_gerror_handler")
	defer c.Leave()
	gerror := d.read(c, smmu.SMMU_GERROR)
	active := gerror ^ d.read(c, smmu.SMMU_GERRORN)
	if active&d.Options.ErrorMask == 0 {
		return false
	}
	if smmu.SMMU_GERROR_CMDQ_ERR.Is(active) {
		d.skipError(c)
	}
	d.writeOrdered(c, smmu.SMMU_GERRORN, gerror)
	return true
}

// skipError is arm_smmu_cmdq_skip_err: a command that was illegal is overwritten with a CMD_SYNC, which has no MSI; one
// that could not be read is tried again.
func (d *Driver) skipError(c *cpu.CPU) {
	cons := d.read(c, smmu.SMMU_CMDQ_CONS)
	switch smmu.CommandError(smmu.SMMU_CMDQ_CONS_ERR.Get(cons)) {
	case smmu.CERROR_NONE, smmu.CERROR_ABT:
		return
	case smmu.CERROR_ATC_INV_SYNC:
		if d.Options.Lockless {
			return
		}
	}
	at := d.slot(cons)
	c.Load(at, 8, bus.Plain) // to print them
	c.Load(at+8, 8, bus.Plain)
	c.Exec(d.Options.Costs.BuildGeneric)
	c.Store(at, 8, syncSEV, bus.Plain)
	c.Store(at+8, 8, 0, bus.Plain)
}
