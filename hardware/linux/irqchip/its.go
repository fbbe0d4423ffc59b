package irqchip

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// Sizes of the driver (drivers/irqchip/irq-gic-v3-its.c, arch/arm64/include/asm/page.h).
const (
	pageSize     = 4 << 10
	itsQueueSize = 64 << 10 // ITS_CMD_QUEUE_SZ
	itsSlots     = itsQueueSize / uint64(gic.ITSCommandSize)
	ittAlign     = 256       // ITS_ITT_ALIGN
	lpiBits      = 16        // ITS_MAX_LPI_NRBITS
	lpiChunk     = 32        // IRQS_PER_CHUNK
	propSize     = 64 << 10  // LPI_PROPBASE_SZ
	pendSize     = 64 << 10  // LPI_PENDBASE_SZ
	lpiDefault   = 0xa0 | 2  // LPI_PROP_DEFAULT_PRIO | LPI_PROP_GROUP1
	maxPages     = 256       // GITS_BASER_PAGES_MAX
	maxTable     = 4 << 20   // of MAX_ORDER pages of 4 KiB
	itsPolls     = 1_000_000 // of a microsecond each
)

// itsNode is struct its_node. What several CPUs change is in simulated memory, under its lock.
type itsNode struct {
	g       *GICv3
	options ITSOptions
	base    uint64 // of the registers
	lines   uint64 // raw_spinlock lock, and behind it cmd_write
	queue   uint64 // cmd_base

	iteSize    uint64
	deviceBits int
	eventBits  int
	pta        bool
	flushQueue bool // ITS_FLAGS_CMDQ_NEEDS_FLUSHING

	tables      []itsBaser
	collections []itsCollection // by CPU
	devices     []*ITSDevice    // in the order of their creation

	prop      uint64
	flushProp bool     // RDIST_FLAGS_PROPBASE_NEEDS_FLUSHING
	pend      []uint64 // by CPU
	nextLPI   int
	cmd       [4]uint64 // the command that is built
	failed    error     // see outcome
}

// itsCollection is struct its_collection.
type itsCollection struct {
	target uint64 // target_address: what its commands name the redistributor by; 0 until the CPU comes up
	id     int    // col_id
}

// itsBaser is struct its_baser.
type itsBaser struct {
	n     int // number of the register
	val   uint64
	base  uint64
	pages uint64 // psz
	size  uint64 // of the table, or of its first level
}

// An ITSDevice is struct its_device: a device with its events.
type ITSDevice struct {
	its     *itsNode
	id      uint32
	itt     uint64
	bits    int // of an EventID
	lpiBase int
	colMap  []int // event_map.col_map: the CPU of each event, none if it is not mapped
}

// noCPU is an event that is bound to no CPU.
const noCPU = -1

// Offsets in its_node's line.
const (
	itsLock     = 0
	itsCmdWrite = 8
)

// newITS makes the driver, if the platform has an ITS.
func newITS(g *GICv3, options ITSOptions) *itsNode {
	if g.platform.GITS == 0 {
		return nil
	}
	n := len(g.platform.MPIDRs)
	return &itsNode{
		g: g, options: options, base: g.platform.GITS, collections: make([]itsCollection, n), pend: make([]uint64, n),
	}
}

func (s *itsNode) read(c *cpu.CPU, off uint64, size uint8) uint64 {
	return c.Load(s.base+off, size, bus.Plain)
}

func (s *itsNode) write(c *cpu.CPU, off uint64, size uint8, v uint64) {
	c.Store(s.base+off, size, v, bus.Plain)
}

// flushToPoC is gic_flush_dcache_to_poc.
func (g *GICv3) flushToPoC(c *cpu.CPU, addr, size uint64) {
	for at := addr &^ (mem.LineSize - 1); at < addr+size; at += mem.LineSize {
		c.Clean(at, true)
	}
	c.Fence(g.dsbSY)
}

// lock is raw_spin_lock_irqsave of the ITS's lock, and unlock undoes it.
func (s *itsNode) lock(c *cpu.CPU) (masked bool) {
	masked = s.g.kernel.Arch.LocalIRQSave(c)
	s.g.kernel.SpinLock(c, s.lines+itsLock)
	return masked
}

func (s *itsNode) unlock(c *cpu.CPU, masked bool) {
	s.g.kernel.SpinUnlock(c, s.lines+itsLock)
	s.g.kernel.Arch.LocalIRQRestore(c, masked)
}

// symbol names an address in what the driver has allocated, "" for any other.
func (s *itsNode) symbol(addr uint64) string {
	at := func(name string, base, size uint64) string {
		if base == 0 || addr < base || addr >= base+size {
			return ""
		}
		return fmt.Sprintf("%s+0x%x", name, addr-base)
	}
	if name := at("its_node", s.lines, mem.LineSize); name != "" {
		return name
	}
	if name := at("its->cmd_base", s.queue, itsQueueSize); name != "" {
		return name
	}
	if name := at("gic_rdists->prop_table", s.prop, propSize); name != "" {
		return name
	}
	for i := range s.tables {
		if name := at(fmt.Sprintf("its->tables[%d]", s.tables[i].n), s.tables[i].base, s.tables[i].size); name != "" {
			return name
		}
	}
	for i, pend := range s.pend {
		if name := at(fmt.Sprintf("pend_page of cpu %d", i), pend, pendSize); name != "" {
			return name
		}
	}
	for _, d := range s.devices {
		if name := at(fmt.Sprintf("itt of device 0x%x", d.id), d.itt, d.ittSize()); name != "" {
			return name
		}
	}
	return ""
}

// checkpoint and restore are what programs change.
func (s *itsNode) checkpoint() itsNode {
	saved := *s
	saved.devices = slices.Clone(s.devices)
	return saved
}

func (s *itsNode) restore(saved *itsNode) {
	*s = *saved
	s.devices = slices.Clone(saved.devices)
}

// fail keeps the first thing that went wrong, which the kernel prints before it goes on.
func (s *itsNode) fail(format string, args ...any) {
	if s.failed == nil {
		s.failed = fmt.Errorf(format, args...)
	}
}

// outcome is what has gone wrong since it was asked last, nil if nothing.
func (s *itsNode) outcome() error {
	err := s.failed
	s.failed = nil
	return err
}
