package machine_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
)

// itsGraph is an exploration of a machine with an ITS whose device has its event 0 mapped to an LPI of CPU1.
type itsGraph struct {
	*graphTest
	base   uint64 // of the ITS
	queue  uint64
	writer uint64 // GITS_CWRITER when executions begin
	dev    *irqchip.ITSDevice
}

const graphDevice = 8

func newITSGraph(t *testing.T, cpus int, enabled bool) *itsGraph {
	t.Helper()
	g := &itsGraph{graphTest: newGraphTestWith(t, cpus, func(s *machine.Spec) {
		armSpec(s).ITS = &machine.ITSSpec{Base: 0x0808_0000, ITS: its.DefaultSpec(nil)}
	})}
	g.base = armBoard(g.m).ITSBase()
	c := g.m.CPUs[0]
	var err error
	if e := g.m.Run(0, program(func() {
		if g.dev, err = armBoard(g.m).Driver().ITSCreateDevice(c, graphDevice, 2); err != nil {
			return
		}
		if err = g.dev.Activate(c, 0, 1); err != nil {
			return
		}
		err = g.dev.SetEnabled(c, 0, enabled)
		g.queue = c.Load(g.base+gic.GITS_CBASER, 8, bus.Plain) & uint64(gic.GITS_CBASER_Physical_Address)
		g.writer = c.Load(g.base+gic.GITS_CWRITER, 8, bus.Plain)
	})); e != nil || err != nil {
		t.Fatal(e, err)
	}
	if err := g.m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	for target := range cpus {
		g.handle(target, func(c *cpu.CPU, intid uint64) { g.note("CPU%d:%d", c.ID, intid-uint64(gic.FirstLPI)) })
	}
	return g
}

// post puts a command into the n-th slot of those that the program uses, and tells the ITS.
func (g *itsGraph) post(c *cpu.CPU, n uint64, barrier bool, command gic.ITSCommand) {
	slot := g.writer + 32*n
	for i, word := range command {
		c.Store(g.queue+slot+8*uint64(i), 8, word, bus.Plain)
	}
	if barrier {
		c.Fence(arm.DSBISHST)
	}
	c.Store(g.base+gic.GITS_CWRITER, 8, slot+32, bus.Plain)
}

func (g *itsGraph) command(op gic.ITSOpcode, icid uint64) gic.ITSCommand {
	return gic.ITSCommand{gic.ITS_CMD_0_DeviceID.Put(uint64(op), graphDevice), 0, icid}
}

// configure enables or disables the LPI in its configuration byte.
func (g *itsGraph) configure(c *cpu.CPU, enabled bool, barrier bool) {
	v := uint64(0xa2)
	if enabled {
		v |= 1
	}
	c.Store(g.dev.ConfigAddress(0), 1, v, bus.Plain)
	if barrier {
		c.Fence(arm.DSBISHST)
	}
}

// An INT is taken once, by the CPU of its collection, if a DSB stands between command and GITS_CWRITER; without it
// the ITS may fetch what was there before, and the LPI is lost (its_flush_cmd).
func TestGraphITSBarrier(t *testing.T) {
	for _, barrier := range []bool{true, false} {
		g := newITSGraph(t, 2, true)
		got := g.explore(func(c *cpu.CPU) { g.post(c, 0, barrier, g.command(gic.INT, 0)) })
		if barrier {
			g.want(got, "CPU1:0")
		} else {
			g.want(got, "", "CPU1:0")
		}
	}
}

// An LPI that is enabled while it comes is taken, whether INT or the change comes first, if INV follows the change
// behind a DSB. Without the barrier INV may read the old byte, and without INV nobody looks.
func TestGraphITSEnable(t *testing.T) {
	for _, c := range []struct {
		name              string
		invalidate, fence bool
		want              []string
	}{
		{"DSB, INV", true, true, []string{"CPU1:0"}},
		{"INV without a DSB", true, false, []string{"", "CPU1:0"}},
		{"no INV", false, true, []string{"", "CPU1:0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newITSGraph(t, 2, false)
			g.want(g.explore(func(pe *cpu.CPU) {
				g.post(pe, 0, true, g.command(gic.INT, 0))
				g.configure(pe, true, c.fence)
				if c.invalidate {
					g.post(pe, 1, c.fence, g.command(gic.INV, 0))
				}
			}), c.want...)
		})
	}
}

// A pending LPI goes along with its event, or was taken before: it comes exactly once, wherever. It may leave a CPU
// that has begun to take it, which then finds nothing to acknowledge.
func TestGraphITSMove(t *testing.T) {
	g := newITSGraph(t, 3, true)
	g.want(g.explore(func(c *cpu.CPU) {
		g.post(c, 0, true, g.command(gic.INT, 0))
		g.post(c, 1, true, g.command(gic.MOVI, 2))
	}), "CPU1:0", "CPU2:0", "CPU2:0 spurious")
}

// The same when the CPU that it leaves goes down, and takes no interrupts from then on.
func TestGraphITSOffline(t *testing.T) {
	g := newITSGraph(t, 3, true)
	g.want(g.explore(func(c *cpu.CPU) {
		g.post(c, 0, true, g.command(gic.INT, 0))
		g.post(c, 1, true, g.command(gic.MOVI, 2))
	}, func(c *cpu.CPU) {
		c.MaskIRQ(true)
		c.WriteSys(gic.ICC_IGRPEN1_EL1, 0)
	}), "CPU1:0", "CPU2:0", "CPU2:0 spurious")
}

// A DISCARD makes the LPI be taken once, or not: never twice, and none is left.
func TestGraphITSDiscard(t *testing.T) {
	g := newITSGraph(t, 2, true)
	g.want(g.explore(func(c *cpu.CPU) {
		g.post(c, 0, true, g.command(gic.INT, 0))
		g.post(c, 1, true, g.command(gic.DISCARD, 0))
		g.post(c, 2, true, g.command(gic.INT, 0))
	}), "", "CPU1:0", "spurious")
}

// What has no place in an exploration is refused by name.
func TestGraphITSRefuses(t *testing.T) {
	for want, program := range map[string]func(g *itsGraph, c *cpu.CPU){
		"the ITS has to do INVALL: expected commands about one event": func(g *itsGraph, c *cpu.CPU) {
			g.post(c, 0, true, g.command(gic.INVALL, 0))
		},
		"a write of 4 bytes to GITS+0x0: expected one to GITS_CWRITER": func(g *itsGraph, c *cpu.CPU) {
			c.Store(g.base+gic.GITS_CTLR, 4, 0, bus.Plain)
		},
		"GITS_CWRITER is set to 0x10000: expected an offset in the queue of 0x10000 bytes": func(g *itsGraph, c *cpu.CPU) {
			c.Store(g.base+gic.GITS_CWRITER, 8, 0x10000, bus.Plain)
		},
		"LPIs by registers of a redistributor": func(g *itsGraph, c *cpu.CPU) {
			spec := armBoard(g.m).GIC().Spec()
			at := uint64(spec.RedistributorBase(0)) + gic.GICR_CTLR
			c.Store(at, 4, 0, bus.Plain)
		},
	} {
		g := newITSGraph(t, 2, true)
		_, _, err := g.tryExplore(func(c *cpu.CPU) { program(g, c) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
