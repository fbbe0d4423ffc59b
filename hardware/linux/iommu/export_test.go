package iommu

import "github.com/hwscript/hwscript/hardware/cpu"

// The steps of Sync, for tests that hold a CPU between two of them.
func (d *Driver) Draw(c *cpu.CPU) uint32                   { return d.draw(c) }
func (d *Driver) InsertSync(c *cpu.CPU, idx uint32) uint32 { return d.insertSync(c, idx) }
func (d *Driver) PollMSI(c *cpu.CPU, idx uint32) bool      { return d.pollMSI(c, idx) }
func (d *Driver) Numbers() (syncNr, syncCount, prev uint64) {
	return d.dev + offSyncNr, d.dev + offSyncCount, d.dev + offPrevCmd
}
