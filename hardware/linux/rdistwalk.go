package linux

import "github.com/hwscript/hwscript/hardware/arch/gic"

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
