package riscv

import "github.com/hwscript/hwscript/hardware/cpu"

// A Checkpoint is all state of an idle hart.
type Checkpoint struct {
	cpu cpu.Checkpoint
	state
	itlb, dtlb, joint, walks tlb
	icache                   icache
}

// Save takes a checkpoint.
func (h *Hart) Save() *Checkpoint {
	c := &Checkpoint{
		cpu: h.CPU.Save(), state: h.state, itlb: h.itlb.clone(), dtlb: h.dtlb.clone(), joint: h.joint.clone(),
		walks: h.walks.clone(), icache: newICache(h.spec.ICache),
	}
	c.icache.copyFrom(&h.icache)
	return c
}

// Restore puts the hart back to where it was saved.
func (h *Hart) Restore(c *Checkpoint) {
	h.CPU.Restore(&c.cpu)
	h.state = c.state
	h.itlb.copyFrom(&c.itlb)
	h.dtlb.copyFrom(&c.dtlb)
	h.joint.copyFrom(&c.joint)
	h.walks.copyFrom(&c.walks)
	h.icache.copyFrom(&c.icache)
}
