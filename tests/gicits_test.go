package tests

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The ITS tests of kvm-unit-tests (arm/gic.c), under their names: a program that takes the ITS and the LPI tables from
// the kernel and sets up its own.
type itsTests struct {
	*gicGuest
	next uint64 // offset of the next command
}

// The program's tables in RAM. Pending tables are one behind the other.
const (
	itsGuestQueue       = 0x4800_0000
	itsGuestDevices     = 0x4810_0000
	itsGuestCollections = 0x4820_0000
	itsGuestITTs        = 0x4830_0000
	itsGuestConfig      = 0x4840_0000
	itsGuestPending     = 0x4850_0000

	itsGuestPendingSize = 0x1_0000
	itsGuestIDBits      = 16
	lpiEnabled          = 0xa3 // priority 0xa0, bit 1 RES1, Enable
	lpiDisabled         = 0xa2
)

// eachITSGuest runs a test on a machine with an ITS, in both EOI modes.
func eachITSGuest(t *testing.T, test func(g *itsTests)) {
	for _, eoiMode := range []bool{false, true} {
		t.Run(fmt.Sprintf("EOImode=%d", boolInt(eoiMode)), func(t *testing.T) {
			g := &itsTests{gicGuest: newITSGuest(t, "virt", 4, eoiMode, oracleITSSpec())}
			g.run(0, g.setUp)
			test(g)
			if list, _ := armBoard(g.m).ITS().Events(); len(list) != 0 && !t.Failed() {
				t.Logf("%d events, the first %s", len(list), list[0].String())
			}
		})
	}
}

func (g *itsTests) gits(off uint64) uint64 { return oracleITS + off }

// until polls a register.
func (g *itsTests) until(c *cpu.CPU, what string, addr uint64, size uint8, met func(v uint64) bool) {
	for range 1000 {
		if met(c.Load(addr, size, bus.Plain)) {
			return
		}
		c.Delay(sim.Microsecond)
	}
	g.Errorf("%s: never", what)
}

// setUp is its_enable_defaults: tables, a queue, LPIs on all CPUs, all configured and enabled.
func (g *itsTests) setUp(c *cpu.CPU) {
	store := func(addr, v uint64) { c.Store(addr, 8, v, bus.Plain) }
	c.Store(g.gits(gic.GITS_CTLR), 4, 0, bus.Plain)
	g.until(c, "quiescent", g.gits(gic.GITS_CTLR), 4, gic.GITS_CTLR_Quiescent.Is)
	for off := uint64(0); off < 512; off += 8 {
		store(itsGuestConfig+off, lpiEnabled*0x0101_0101_0101_0101)
	}
	for target := range g.acked {
		g.lpis(c, target, false)
		g.lpis(c, target, true)
	}
	table := gic.GITS_BASER_InnerCache.Put(uint64(gic.GITS_BASER_Valid), uint64(gic.RaWaWb))
	table = gic.GITS_BASER_Shareability.Put(table, uint64(gic.InnerShareable))
	store(g.gits(gic.GITS_BASER), gic.GITS_BASER_Page_Size.Put(table|itsGuestDevices, uint64(gic.Page64K)))
	store(g.gits(gic.GITS_BASER+8), gic.GITS_BASER_Page_Size.Put(table|itsGuestCollections, uint64(gic.Page64K)))
	base := gic.GITS_CBASER_InnerCache.Put(uint64(gic.GITS_CBASER_Valid), uint64(gic.RaWaWb))
	base = gic.GITS_CBASER_Shareability.Put(base, uint64(gic.InnerShareable))
	store(g.gits(gic.GITS_CBASER), base|itsGuestQueue|15)
	store(g.gits(gic.GITS_CWRITER), 0)
	c.Store(g.gits(gic.GITS_CTLR), 4, 1, bus.Plain)
}

// lpis switches the LPIs of a CPU, whose tables are the program's, off or on.
func (g *itsTests) lpis(c *cpu.CPU, target int, on bool) {
	ctlr := g.gicr(target, gic.GICR_CTLR)
	if !on {
		c.Store(ctlr, 4, 0, bus.Plain)
		g.until(c, "GICR_CTLR.RWP", ctlr, 4, func(v uint64) bool { return !gic.GICR_CTLR_RWP.Is(v) })
		return
	}
	attr := gic.GICR_PROPBASER_InnerCache.Put(0, uint64(gic.RaWaWb))
	attr = gic.GICR_PROPBASER_Shareability.Put(attr, uint64(gic.InnerShareable))
	c.Store(g.gicr(target, gic.GICR_PROPBASER), 8, attr|itsGuestConfig|itsGuestIDBits-1, bus.Plain)
	c.Store(g.gicr(target, gic.GICR_PENDBASER), 8, attr|g.pendingTable(target), bus.Plain)
	c.Fence(arm.DSBSY)
	c.Store(ctlr, 4, uint64(gic.GICR_CTLR_EnableLPIs), bus.Plain)
}

func (g *itsTests) pendingTable(target int) uint64 {
	return itsGuestPending + uint64(target)*itsGuestPendingSize
}

// send puts commands into the queue and waits until they are done.
func (g *itsTests) send(c *cpu.CPU, commands ...gic.ITSCommand) {
	for _, command := range commands {
		for n, word := range command {
			c.Store(itsGuestQueue+g.next+8*uint64(n), 8, word, bus.Plain)
		}
		g.next = (g.next + 32) % 0x1_0000
	}
	c.Fence(arm.DSBISHST)
	c.Store(g.gits(gic.GITS_CWRITER), 8, g.next, bus.Plain)
	g.until(c, "GITS_CREADR", g.gits(gic.GITS_CREADR), 8, func(v uint64) bool { return v == g.next })
}

// configure writes an LPI's configuration byte.
func (g *itsTests) configure(c *cpu.CPU, lpi int, v uint64) {
	c.Store(itsGuestConfig+uint64(lpi)-uint64(gic.FirstLPI), 1, v, bus.Plain)
	c.Fence(arm.DSBISHST)
}

// took wants the CPUs to have acknowledged these LPIs, those of each CPU in order, since it was last asked.
func (g *itsTests) took(when string, want map[int][]int) {
	g.Helper()
	for target, got := range g.acked {
		if !slices.Equal(got, want[target]) {
			g.Errorf("%s: CPU%d took %d, want %d", when, target, got, want[target])
		}
	}
	g.clear()
}

// migrate is what kvm-unit-tests does through its harness: what the GIC and the ITS know is saved, they are reset, and
// get it back. The tables stay in memory.
func (g *itsTests) migrate() {
	parts := armBoard(g.m).Parts()
	for _, p := range parts {
		p.Save()
	}
	armBoard(g.m).ITS().Reset()
	armBoard(g.m).GIC().Reset()
	for _, p := range parts {
		p.Restore()
	}
}

// The commands.

func itsEvent(op gic.ITSOpcode, device, event uint64) gic.ITSCommand {
	return gic.ITSCommand{gic.ITS_CMD_0_DeviceID.Put(uint64(op), device), event}
}

func itsMAPD(device uint64, valid bool) gic.ITSCommand {
	c := gic.ITSCommand{gic.ITS_CMD_0_DeviceID.Put(uint64(gic.MAPD), device), 7, itsGuestITTs + device*0x1000}
	c[2] = gic.ITS_MAPD_2_V.Put(c[2], uint64(boolInt(valid)))
	return c
}

func itsMAPC(icid, target uint64) gic.ITSCommand {
	return gic.ITSCommand{uint64(gic.MAPC), 0, gic.ITS_CMD_2_RDbase.Put(icid, target) | uint64(gic.ITS_CMD_2_V)}
}

func itsMAPTI(device, event uint64, lpi int, icid uint64) gic.ITSCommand {
	c := itsEvent(gic.MAPTI, device, event)
	c[1], c[2] = gic.ITS_CMD_1_pINTID.Put(c[1], uint64(lpi)), icid
	return c
}

func itsINVALL(icid uint64) gic.ITSCommand { return gic.ITSCommand{uint64(gic.INVALL), 0, icid} }

func itsSYNC(target uint64) gic.ITSCommand {
	return gic.ITSCommand{uint64(gic.SYNC), 0, gic.ITS_CMD_2_RDbase.Put(0, target)}
}

// TestITSIntrospection is its-introspection.
func TestITSIntrospection(t *testing.T) {
	eachITSGuest(t, func(g *itsTests) {
		g.run(1, func(c *cpu.CPU) {
			g.readOnly(c, g.gits(gic.GITS_IIDR))
			g.readOnly(c, g.gits(gic.GITS_TYPER))
			g.readOnly(c, g.gits(gic.GITS_TYPER+4))
			g.readOnly(c, g.gits(gic.GITS_PIDR2))
			typer := c.Load(g.gits(gic.GITS_TYPER), 8, bus.Plain)
			if !gic.GITS_TYPER_Physical.Is(typer) {
				g.Error("no physical LPIs")
			}
			if !gic.GITS_TYPER_ID_bits.Is(typer) || !gic.GITS_TYPER_Devbits.Is(typer) {
				g.Errorf("no bits of EventIDs or DeviceIDs: GITS_TYPER is %#x", typer)
			}
			kinds := map[gic.TableType]int{}
			for n := range uint64(8) {
				kinds[gic.TableType(gic.GITS_BASER_Type.Get(c.Load(g.gits(gic.GITS_BASER+8*n), 8, bus.Plain)))]++
			}
			if kinds[gic.DeviceTable] != 1 || kinds[gic.CollectionTable] != 1 {
				g.Errorf("tables %v: want one of devices and one of collections", kinds)
			}
		})
	})
}

// mapTwo is its_setup1: device 2, event 20 is LPI 8195 on CPU 3; device 7, event 255 is LPI 8196 on CPU 2.
func (g *itsTests) mapTwo(c *cpu.CPU) {
	g.send(c, itsMAPD(2, true), itsMAPD(7, true), itsMAPC(3, 3), itsMAPC(2, 2), itsINVALL(2), itsINVALL(3),
		itsMAPTI(2, 20, 8195, 3), itsMAPTI(7, 255, 8196, 2), itsSYNC(2), itsSYNC(3))
}

// TestITSTrigger is its-trigger: an LPI of each of two devices reaches its CPU; one that is disabled does not, and what
// came meanwhile does when it is enabled, at INVALL at the latest; one of a device that is unmapped does not.
func TestITSTrigger(t *testing.T) {
	eachITSGuest(t, func(g *itsTests) {
		g.run(0, func(c *cpu.CPU) {
			g.mapTwo(c)
			g.send(c, itsEvent(gic.INT, 2, 20), itsEvent(gic.INT, 7, 255))
		})
		g.took("mapped", map[int][]int{3: {8195}, 2: {8196}})

		g.run(0, func(c *cpu.CPU) {
			g.configure(c, 8195, lpiDisabled)
			g.send(c, itsEvent(gic.INV, 2, 20), itsEvent(gic.INT, 2, 20), itsSYNC(3))
		})
		g.took("disabled", nil)

		g.run(0, func(c *cpu.CPU) {
			g.configure(c, 8195, lpiEnabled)
			g.send(c, itsEvent(gic.INT, 2, 20), itsINVALL(3), itsSYNC(3))
		})
		g.took("enabled again, INVALL", map[int][]int{3: {8195}})

		g.run(0, func(c *cpu.CPU) { g.send(c, itsEvent(gic.INT, 2, 20)) })
		g.took("once more", map[int][]int{3: {8195}})

		g.run(0, func(c *cpu.CPU) {
			g.send(c, itsMAPD(2, false), itsEvent(gic.INT, 2, 20), itsEvent(gic.INT, 7, 255), itsSYNC(3))
		})
		g.took("device unmapped", map[int][]int{2: {8196}})
	})
}

// TestITSMigration is its-migration: what was mapped before a migration still is.
func TestITSMigration(t *testing.T) {
	eachITSGuest(t, func(g *itsTests) {
		g.run(0, g.mapTwo)
		g.migrate()
		g.run(1, func(c *cpu.CPU) {
			g.send(c, itsINVALL(2), itsINVALL(3), itsEvent(gic.INT, 2, 20), itsEvent(gic.INT, 7, 255))
		})
		g.took("after the migration", map[int][]int{3: {8195}, 2: {8196}})
	})
}

// TestITSMigrateUnmappedCollection is its-migrate-unmapped-collection: an event of a collection that is not mapped yet
// outlives a migration, and its LPI keeps its configuration.
func TestITSMigrateUnmappedCollection(t *testing.T) {
	eachITSGuest(t, func(g *itsTests) {
		g.run(0, func(c *cpu.CPU) {
			g.configure(c, 8192, lpiDisabled)
			g.send(c, itsMAPD(2, true), itsMAPTI(2, 0, 8192, 1), itsMAPC(3, 3), itsMAPTI(2, 1, 8193, 3))
		})
		g.migrate()
		g.run(0, func(c *cpu.CPU) { g.send(c, itsEvent(gic.INT, 2, 0), itsEvent(gic.INT, 2, 1), itsSYNC(3)) })
		g.took("collection unmapped", map[int][]int{3: {8193}})

		g.run(0, func(c *cpu.CPU) {
			g.send(c, itsMAPC(1, 1), itsINVALL(1), itsEvent(gic.INT, 2, 0), itsSYNC(1))
		})
		g.took("mapped, disabled", nil)

		g.run(0, func(c *cpu.CPU) {
			g.configure(c, 8192, lpiEnabled)
			g.send(c, itsEvent(gic.INV, 2, 0), itsSYNC(1))
		})
		g.took("enabled", map[int][]int{1: {8192}})
	})
}

// TestITSPendingMigration is its-pending-migration: 256 LPIs, of which the pending tables of two CPUs say half each
// when LPIs are enabled (GICR_PENDBASER.PTZ is 0), are all taken, before and after a migration.
func TestITSPendingMigration(t *testing.T) {
	const half = 128
	want := map[int][]int{}
	for n := range 2 * half {
		want[2+n%2] = append(want[2+n%2], 8192+n)
	}
	for _, early := range []bool{false, true} {
		eachITSGuest(t, func(g *itsTests) {
			g.run(0, func(c *cpu.CPU) {
				for target := range 2 {
					g.lpis(c, 2+target, false)
					for off := range uint64(2 * half / 8) {
						pattern := uint64(0x55 << target)
						c.Store(g.pendingTable(2+target)+uint64(gic.FirstLPI)/8+off, 1, pattern, bus.Plain)
					}
				}
				if early {
					g.mask(c, true)
				}
				for target := range 2 {
					g.lpis(c, 2+target, true)
				}
			})
			if early {
				g.took("group disabled", nil)
				g.migrate()
				g.run(0, func(c *cpu.CPU) { g.mask(c, false) })
			}
			g.took("pending", want)
		})
	}
}

// mask keeps the distributor from forwarding interrupts.
func (g *itsTests) mask(c *cpu.CPU, on bool) {
	ctlr := c.Load(g.gicd(gic.GICD_CTLR), 4, bus.Plain)
	c.Store(g.gicd(gic.GICD_CTLR), 4, gic.GICD_CTLR_EnableGrp1.Put(ctlr, uint64(boolInt(!on))), bus.Plain)
}
