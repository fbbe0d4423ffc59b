package irqchip

import (
	"fmt"
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// Identification of the ITS with erratum 0065, and under which mask (its_quirks).
const (
	qdf2400IIDR = 0x00001070
	qdf2400Mask = 0xffffffff
)

// probe is its_probe_one, and its_alloc_lpi_tables. It runs on the boot CPU.
func (s *itsNode) probe(c *cpu.CPU) error {
	if arch := gic.GITS_PIDR2_ArchRev.Get(s.read(c, gic.GITS_PIDR2, 4)); arch != 3 && arch != 4 {
		return fmt.Errorf("GITS_PIDR2.ArchRev is %d: no ITS of a GICv3 or GICv4 at 0x%x", arch, s.base)
	}
	if err := s.forceQuiescent(c); err != nil {
		return err
	}
	typer := s.read(c, gic.GITS_TYPER, 8)
	s.iteSize = gic.GITS_TYPER_ITT_entry_size.Get(typer) + 1
	s.deviceBits = int(gic.GITS_TYPER_Devbits.Get(typer)) + 1
	s.eventBits = int(gic.GITS_TYPER_ID_bits.Get(typer)) + 1
	s.pta = gic.GITS_TYPER_PTA.Is(typer)
	var err error
	if s.lines, err = s.g.kernel.AllocateSpinLock(); err != nil {
		return err
	}
	if s.queue, err = s.g.platform.Reserve(itsQueueSize, itsQueueSize); err != nil {
		return err
	}
	iidr := s.read(c, gic.GITS_IIDR, 4) // its_enable_quirks
	if iidr&qdf2400Mask == qdf2400IIDR && !s.options.NoQuirkE0065 {
		s.iteSize = 16 // its_enable_quirk_qdf2400_e0065
	}
	if err := s.allocTables(c); err != nil {
		return err
	}
	for i := range s.collections {
		s.collections[i].id = i
	}
	s.setUpQueue(c)
	return s.allocLPITables()
}

// forceQuiescent is its_force_quiescent.
func (s *itsNode) forceQuiescent(c *cpu.CPU) error {
	ctlr := s.read(c, gic.GITS_CTLR, 4)
	if gic.GITS_CTLR_Quiescent.Is(ctlr) && !gic.GITS_CTLR_Enabled.Is(ctlr) {
		return nil
	}
	s.write(c, gic.GITS_CTLR, 4, gic.GITS_CTLR_Enabled.Put(ctlr, 0))
	return s.g.poll(c, s.base+gic.GITS_CTLR, gic.GITS_CTLR_Quiescent, true, "GITS_CTLR.Quiescent")
}

// setUpQueue is the rest of its_probe_one: GITS_CBASER with its exact read-back, GITS_CWRITER, GITS_CTLR.
func (s *itsNode) setUpQueue(c *cpu.CPU) {
	v := s.queue | itsQueueSize/pageSize - 1
	v = gic.GITS_CBASER_InnerCache.Put(v, uint64(s.options.Cacheability.Queue))
	v = gic.GITS_CBASER_Shareability.Put(v, uint64(gic.InnerShareable))
	v = gic.GITS_CBASER_Valid.Put(v, 1)
	s.write(c, gic.GITS_CBASER, 8, v)
	if got := s.read(c, gic.GITS_CBASER, 8); gic.GITS_CBASER_Shareability.Get(got^v) != 0 {
		if !gic.GITS_CBASER_Shareability.Is(got) { // not shareable: not cacheable either
			v = gic.GITS_CBASER_Shareability.Put(v, 0)
			v = gic.GITS_CBASER_InnerCache.Put(v, uint64(gic.NonCacheable))
			s.write(c, gic.GITS_CBASER, 8, v)
		}
		s.flushQueue = true
	}
	s.write(c, gic.GITS_CWRITER, 8, 0)
	ctlr := uint64(0)
	if s.options.Version == ITS517 {
		ctlr = s.read(c, gic.GITS_CTLR, 4)
	}
	s.write(c, gic.GITS_CTLR, 4, ctlr|uint64(gic.GITS_CTLR_Enabled))
}

// tableAttempt is what its_alloc_tables tries of one table, and carries to the next.
type tableAttempt struct {
	cache gic.Cacheability
	share gic.Shareability
	page  uint64
}

// allocTables is its_alloc_tables.
func (s *itsNode) allocTables(c *cpu.CPU) error {
	a := tableAttempt{share: gic.InnerShareable, page: 64 << 10}
	hints := s.options.Cacheability
	forced := false // the hardware has said what it can
	for n := range 8 {
		v := s.read(c, gic.GITS_BASER+8*uint64(n), 8)
		kind := gic.TableType(gic.GITS_BASER_Type.Get(v))
		if kind == gic.NoTable {
			continue
		}
		if !forced {
			a.cache = hints.Collection
			if kind == gic.DeviceTable {
				a.cache = hints.Device
			}
		}
		t := itsBaser{n: n, val: v}
		if s.options.Version == ITS517 {
			s.probePageSize(c, &t, &a)
		}
		size, indirect := uint64(64<<10), false
		if kind == gic.DeviceTable {
			size, indirect = s.parseBaserDevice(c, &t, &a)
		}
		if err := s.setupBaser(c, &t, &a, size, indirect); err != nil {
			return err
		}
		forced = forced || a.share == gic.NonShareable
		s.tables = append(s.tables, t)
	}
	return nil
}

// entrySize is GITS_BASER_ENTRY_SIZE.
func (t *itsBaser) entrySize() uint64 { return gic.GITS_BASER_Entry_Size.Get(t.val) + 1 }

func (t *itsBaser) kind() gic.TableType { return gic.TableType(gic.GITS_BASER_Type.Get(t.val)) }

// writeBaser is its_write_baser: the value is what the register has made of it.
func (s *itsNode) writeBaser(c *cpu.CPU, t *itsBaser, v uint64) {
	off := gic.GITS_BASER + 8*uint64(t.n)
	s.write(c, off, 8, v)
	t.val = s.read(c, off, 8)
}

// pageCode is GITS_BASER.Page_Size of a size of pages: 4, 16 or 64 KiB. smallerPage is the next smaller size.
func pageCode(size uint64) uint64    { return uint64(mathbits.TrailingZeros64(size)-12) / 2 }
func smallerPage(size uint64) uint64 { return size / 4 }

// probePageSize is its_probe_baser_psz: the largest page that reads back.
func (s *itsNode) probePageSize(c *cpu.CPU, t *itsBaser, a *tableAttempt) {
	for a.page = 64 << 10; a.page > pageSize; a.page = smallerPage(a.page) {
		s.writeBaser(c, t, gic.GITS_BASER_Page_Size.Put(t.val, pageCode(a.page)))
		if gic.GITS_BASER_Page_Size.Get(t.val) == pageCode(a.page) {
			return
		}
	}
}

// parseBaserDevice is its_parse_baser_device: the size of the device table, or of its first level if it can have two
// and would be larger than two pages.
func (s *itsNode) parseBaserDevice(c *cpu.CPU, t *itsBaser, a *tableAttempt) (size uint64, indirect bool) {
	entry, ids := t.entrySize(), s.deviceBits
	if entry<<ids > 2*a.page {
		v := gic.GITS_BASER_InnerCache.Put(t.val, uint64(a.cache))
		v = gic.GITS_BASER_Shareability.Put(v, uint64(a.share))
		s.writeBaser(c, t, v|uint64(gic.GITS_BASER_Indirect))
		if indirect = gic.GITS_BASER_Indirect.Is(t.val); indirect {
			ids -= mathbits.TrailingZeros64(a.page / entry)
			entry = 8 // GITS_LVL1_ENTRY_SIZE
		}
	}
	return min(max(entry<<max(ids, 0), a.page), maxTable), indirect
}

// setupBaser is its_setup_baser: it writes the register until it reads back exactly, with what the hardware forces
// adopted.
func (s *itsNode) setupBaser(c *cpu.CPU, t *itsBaser, a *tableAttempt, size uint64, indirect bool) error {
	kind, entry := t.kind(), t.entrySize()
	for {
		pages := min((size+a.page-1)/a.page, maxPages)
		if t.base == 0 {
			var err error
			if t.base, err = s.g.platform.Reserve(pages*a.page, a.page); err != nil {
				return err
			}
		}
		v := t.base | pages - 1
		if a.page == 64<<10 { // its_setup_baser: address bits 51 to 48 go elsewhere
			v = pages - 1 | gic.BASER64K_Address.Put(0, t.base>>16) | gic.BASER64K_High.Put(0, t.base>>48)
		}
		v = gic.GITS_BASER_Page_Size.Put(v, pageCode(a.page))
		v = gic.GITS_BASER_Type.Put(v, uint64(kind))
		v = gic.GITS_BASER_Entry_Size.Put(v, entry-1)
		v = gic.GITS_BASER_InnerCache.Put(v, uint64(a.cache))
		v = gic.GITS_BASER_Shareability.Put(v, uint64(a.share))
		v = gic.GITS_BASER_Indirect.Put(v, bits.Flag(indirect))
		v = gic.GITS_BASER_Valid.Put(v, 1)
		s.writeBaser(c, t, v)
		got := t.val
		switch {
		case gic.GITS_BASER_Shareability.Get(got^v) != 0:
			if a.share = gic.Shareability(gic.GITS_BASER_Shareability.Get(got)); a.share == gic.NonShareable {
				a.cache = gic.NonCacheable
				s.g.flushToPoC(c, t.base, pages*a.page)
			}
		case gic.GITS_BASER_Page_Size.Get(got^v) != 0 && a.page > pageSize:
			a.page, t.base = smallerPage(a.page), 0
		case got != v:
			return fmt.Errorf("ITS table %d of type %d doesn't stick: 0x%x, read back 0x%x", t.n, kind, v, got)
		default:
			t.pages, t.size = a.page, pages*a.page
			return nil
		}
	}
}

// allocLPITables is its_alloc_lpi_tables: every LPI is disabled. During the boot that takes no time: nobody else runs,
// and the table is flushed to memory.
func (s *itsNode) allocLPITables() error {
	var err error
	if s.prop, err = s.g.platform.Reserve(propSize, propSize); err != nil {
		return err
	}
	s.g.platform.Fill(s.prop, propSize, lpiDefault)
	s.nextLPI = int(gic.FirstLPI)
	return nil
}

// cpuInit is its_cpu_init: the CPU's LPI tables and its collection.
func (s *itsNode) cpuInit(c *cpu.CPU) error {
	gicr := s.g.percpu[c.ID].gicr
	if typer := c.Load(gicr+gic.GICR_TYPER, 8, bus.Plain); !gic.GICR_TYPER_PLPIS.Is(typer) {
		return fmt.Errorf("%s: LPIs not supported", c)
	}
	if err := s.cpuInitLPIs(c, gicr); err != nil {
		return err
	}
	l := &s.collections[c.ID]
	if s.pta { // its_cpu_init_collection
		l.target = gicr
	} else {
		typer := c.Load(gicr+gic.GICR_TYPER, 8, bus.Plain)
		l.target = gic.GICR_TYPER_Processor_Number.Get(typer) << 16
	}
	s.sendMAPC(c, l, true)
	s.sendINVALL(c, l)
	return s.outcome()
}

// cpuInitLPIs is its_cpu_init_lpis. 4.9 clears EnableLPIs whether it was set or not; 5.17 by redist_disable_lpis.
func (s *itsNode) cpuInitLPIs(c *cpu.CPU, gicr uint64) error {
	var err error
	if s.pend[c.ID] == 0 {
		if s.pend[c.ID], err = s.g.platform.Reserve(pendSize, pendSize); err != nil {
			return err
		}
	}
	ctlr := c.Load(gicr+gic.GICR_CTLR, 4, bus.Plain)
	if s.options.Version == ITS49 {
		c.Store(gicr+gic.GICR_CTLR, 4, gic.GICR_CTLR_EnableLPIs.Put(ctlr, 0), bus.Plain)
		c.Fence(s.g.dsbSY)
	} else if gic.GICR_CTLR_EnableLPIs.Is(ctlr) {
		if err := s.redistDisableLPIs(c, gicr, ctlr); err != nil {
			return err
		}
	}
	hints := s.options.Cacheability
	v := s.prop | lpiBits - 1
	v = gic.GICR_PROPBASER_InnerCache.Put(v, uint64(hints.Config))
	v = gic.GICR_PROPBASER_Shareability.Put(v, uint64(gic.InnerShareable))
	if !s.writeTable(c, gicr+gic.GICR_PROPBASER, v) {
		s.flushProp = true
	}
	v = gic.GICR_PENDBASER_InnerCache.Put(s.pend[c.ID], uint64(hints.Pending))
	s.writeTable(c, gicr+gic.GICR_PENDBASER, gic.GICR_PENDBASER_Shareability.Put(v, uint64(gic.InnerShareable)))
	ctlr = c.Load(gicr+gic.GICR_CTLR, 4, bus.Plain)
	c.Store(gicr+gic.GICR_CTLR, 4, ctlr|uint64(gic.GICR_CTLR_EnableLPIs), bus.Plain)
	c.Fence(s.g.dsbSY)
	return nil
}

// writeTable writes GICR_PROPBASER or GICR_PENDBASER, whose fields lie alike; false if it is not shareable, and so is
// not cacheable.
func (s *itsNode) writeTable(c *cpu.CPU, at, v uint64) bool {
	c.Store(at, 8, v, bus.Plain)
	got := c.Load(at, 8, bus.Plain)
	if gic.GICR_PROPBASER_Shareability.Get(got^v) == 0 {
		return true
	}
	if !gic.GICR_PROPBASER_Shareability.Is(got) {
		v = gic.GICR_PROPBASER_Shareability.Put(v, 0)
		c.Store(at, 8, gic.GICR_PROPBASER_InnerCache.Put(v, uint64(gic.NonCacheable)), bus.Plain)
	}
	return false
}

// redistDisableLPIs is redist_disable_lpis: where EnableLPIs can be cleared, RWP must be 0 before it is set again.
func (s *itsNode) redistDisableLPIs(c *cpu.CPU, gicr, ctlr uint64) error {
	c.Store(gicr+gic.GICR_CTLR, 4, gic.GICR_CTLR_EnableLPIs.Put(ctlr, 0), bus.Plain)
	c.Fence(s.g.dsbSY)
	if s.options.NoRWPWait {
		return nil
	}
	if err := s.g.waitForRWP(c, gicr+gic.GICR_CTLR, gic.GICR_CTLR_RWP); err != nil {
		return err
	}
	if gic.GICR_CTLR_EnableLPIs.Is(c.Load(gicr+gic.GICR_CTLR, 4, bus.Plain)) {
		return fmt.Errorf("%s: failed to disable LPIs", c)
	}
	return nil
}

// ITSRestartLPIs disables the LPIs of a CPU and sets them up anew, as a kernel does that kexec has left with them
// enabled.
func (g *GICv3) ITSRestartLPIs(c *cpu.CPU) error {
	if g.its == nil {
		return fmt.Errorf("no ITS")
	}
	return g.its.cpuInitLPIs(c, g.percpu[c.ID].gicr)
}
