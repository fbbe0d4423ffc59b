package sim

import "fmt"

// A Remark is something that software did to which its architecture gives no meaning, or none that is wanted: an access
// to a reserved offset, the end of an interrupt that is not active. The model goes on with the documented choice.
type Remark struct {
	At            Time
	Source        string // who did it: "CPU3"
	Register      string // where: "ICC_EOIR1_EL1", "GICD+0x000c"
	What          string
	Unpredictable bool // what follows is UNPREDICTABLE: under exploration a finding
}

// String is the remark without its time.
func (r *Remark) String() string { return fmt.Sprintf("%s: %s: %s", r.Source, r.Register, r.What) }

// maxRemarks is the number of remarks that are kept; later ones are counted.
const maxRemarks = 100

// Remarks are what an engine's machine was blamed for since it was built or rewound, in order.
type Remarks struct {
	List    []Remark
	Dropped uint64 // remarks after the list was full
}

// clear forgets all remarks.
func (r *Remarks) clear() { r.List, r.Dropped = r.List[:0], 0 }

// Unpredictable is the first remark of that kind, nil if there is none.
func (r *Remarks) Unpredictable() *Remark {
	for i := range r.List {
		if r.List[i].Unpredictable {
			return &r.List[i]
		}
	}
	return nil
}

// Mute makes remarks go unheard, since what is done will be done again. Otherwise those so far are forgotten if they
// were.
func (e *Engine) Mute(muted bool) {
	if e.muted && !muted {
		e.remarks.clear()
	}
	e.muted = muted
}

// Remark adds a remark, and writes it to the trace.
func (e *Engine) Remark(r Remark) {
	if e.muted {
		return
	}
	if e.Tracing {
		e.Trace(r.At, r.Source, "remark: %s: %s", r.Register, r.What)
	}
	if len(e.remarks.List) == maxRemarks {
		e.remarks.Dropped++
		return
	}
	e.remarks.List = append(e.remarks.List, r)
}

// Remarks are the remarks so far. They grow with the engine's run.
func (e *Engine) Remarks() *Remarks { return e.remarks }
