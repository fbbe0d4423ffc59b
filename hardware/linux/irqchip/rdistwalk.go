package irqchip

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// rdistWalk is the way of gic_iterate_rdists over the redistributors, as far as a CPU has gone.
//
// Invariant: frames is as long as typers, or one longer.
type rdistWalk struct {
	frames []uint64 // addresses
	typers []uint64 // GICR_TYPER of each
	region int      // of the last frame
	found  int      // the frame that was looked for last
}

// before is the number of frames before the one with an affinity; all that are known, if it is not among them.
func (w *rdistWalk) before(affinity uint64) int {
	for range w.typers {
		if w.found++; w.found >= len(w.typers) {
			w.found = 0
		}
		if gic.GICR_TYPER_Affinity_Value.Get(w.typers[w.found]) == affinity {
			return w.found
		}
	}
	return len(w.typers)
}

// frame is the address of the i-th frame, of which all before have been read; false if there is none. VLPIS says how
// far apart frames are, Last where a region ends.
func (w *rdistWalk) frame(i int, regions []GICRRegion) (uint64, bool) {
	if i < len(w.frames) {
		return w.frames[i], true
	}
	if i == 0 {
		w.frames = append(w.frames, regions[0].Base)
		return regions[0].Base, true
	}
	next, r := w.frames[i-1], regions[w.region]
	if gic.GICR_TYPER_VLPIS.Is(w.typers[i-1]) {
		next += uint64(gic.RedistributorStrideVLPI)
	} else {
		next += uint64(gic.RedistributorStride)
	}
	if gic.GICR_TYPER_Last.Is(w.typers[i-1]) || next >= r.Base+r.Size {
		if w.region+1 == len(regions) {
			return 0, false
		}
		w.region++
		next = regions[w.region].Base
	}
	w.frames = append(w.frames, next)
	return next, true
}

// gicPopulateRdist is gic_populate_rdist: it walks the regions until GICR_TYPER names the CPU. The walks of a boot are
// together as long as the square of the CPUs, over registers that are read-only: those that another CPU has walked over
// before are charged as loads, and loaded only where someone watches.
func (g *GICv3) gicPopulateRdist(c *cpu.CPU) (uint64, error) {
	mpidr := g.kernel.Arch.ReadSysreg(c, a64.MPIDR_EL1)
	want := affinity3.Get(mpidr)<<24 | affinity2.Get(mpidr)<<16 | affinity1.Get(mpidr)<<8 | affinity0.Get(mpidr)
	walk := &g.data.walk
	i := 0
	if !c.Engine().Tracing {
		i = walk.before(want)
		c.DeviceLoads(i)
	}
	for ; i <= len(walk.typers); i++ {
		frame, ok := walk.frame(i, g.platform.GICRs)
		if !ok {
			break
		}
		typer := c.Load(frame+gic.GICR_TYPER, 8, bus.Plain)
		if i == len(walk.typers) {
			walk.typers = append(walk.typers, typer)
		}
		if gic.GICR_TYPER_Affinity_Value.Get(typer) == want {
			return frame, nil
		}
	}
	return 0, fmt.Errorf("%s: no redistributor with affinity 0x%x", c, want)
}

// countRedistributors is the walk of gic_update_rdist_properties over all redistributors, as far as it counts them.
func (g *GICv3) countRedistributors(c *cpu.CPU) {
	walk := &g.data.walk
	for {
		frame, ok := walk.frame(g.data.redistributors, g.platform.GICRs)
		if !ok {
			return
		}
		typer := c.Load(frame+gic.GICR_TYPER, 8, bus.Plain)
		if g.data.redistributors == len(walk.typers) {
			walk.typers = append(walk.typers, typer)
		}
		g.data.redistributors++
	}
}
