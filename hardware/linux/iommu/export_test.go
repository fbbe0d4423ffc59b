package iommu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// The steps of Sync, for tests that hold a CPU between two of them.
func (d *Driver) Draw(c *cpu.CPU) uint32                   { return d.draw(c) }
func (d *Driver) InsertSync(c *cpu.CPU, idx uint32) uint32 { return d.insertSync(c, idx) }
func (d *Driver) PollMSI(c *cpu.CPU, idx uint32) bool      { return d.pollMSI(c, idx) }
func (d *Driver) Numbers() (syncNr, syncCount, prev uint64) {
	return d.dev + offSyncNr, d.dev + offSyncCount, d.dev + offPrevCmd
}

// InsertBadSync is InsertSync of variant f, with a CMD_SYNC that is illegal.
func (d *Driver) InsertBadSync(c *cpu.CPU) uint32 {
	masked := d.lock(c)
	idx := uint32(c.Load(d.dev+offSyncNr, 4, bus.Plain)) + 1
	c.Store(d.dev+offSyncNr, 4, uint64(idx), bus.Plain)
	d.insert(c, Command{syncMSI | 3<<12 | uint64(idx)<<32, d.dev + offSyncCount})
	d.unlock(c, masked)
	return idx
}
