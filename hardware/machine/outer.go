package machine

import "github.com/hwscript/hwscript/hardware/cpu"

const outerAckDoc = "outer_model serial, pipelined, moved: acknowledgement of one store from beyond the " +
	"inner-shareable domain; moved: beside the legs to the line's home and back"

// The range of Spec.OuterWindow, which nobody has published: it may be anything up to what a store buffer holds.
const (
	OuterWindowLow     = 2
	OuterWindowTypical = 8
	OuterWindowHigh    = 24
)

// Lacks reports whether the machine has nothing that takes this time.
func (s *Spec) Lacks(n LatencyName) bool {
	return n >= ITSCommand && n <= ITSTransport && !hasITS(s) || n >= SMMURegisterAck && n <= smmuLast && !hasSMMU(s)
}

// Unused reports whether a latency plays no part on the machine: those of the other hypotheses about what a barrier of
// the full system waits for, and those that it lacks.
func (s *Spec) Unused(n LatencyName) bool {
	if s.Lacks(n) {
		return true
	}
	switch n {
	case OuterAck:
		return s.OuterModel == cpu.OuterNone || s.OuterModel == cpu.OuterFlush
	case OuterFlush:
		return s.OuterModel != cpu.OuterFlush
	}
	return false
}
