package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Lines are the interrupt wires of an SMMU, which it pulses. One that is nil is not there.
type Lines struct {
	Event  bus.Line // the Event queue is no longer empty
	PRI    bus.Line // the PRI queue is no longer empty
	Sync   bus.Line // a CMD_SYNC that asks for it is complete
	Global bus.Line // a global error
}

// EventReceiver is the PEs, as far as they hear events.
type EventReceiver interface {
	// SetEvent sets the event registers of all PEs, as SEV does.
	SetEvent(at sim.Time)
}

// Endpoint is a device with an address translation cache.
type Endpoint interface {
	// InvalidateATC drops translations of 2^log2 bytes from addr on, of one substream or of all. It reports whether the
	// device answers.
	InvalidateATC(substream uint32, all bool, addr uint64, log2 uint8) bool
	// PageResponse is the answer to a group of page requests.
	PageResponse(group uint16, response uint8)
}

// SMMU is one SMMUv3.
type SMMU struct {
	spec      Spec
	idr       [7]uint64
	eng       *sim.Engine
	memory    bus.Target
	lines     Lines
	pes       EventReceiver
	master    *bus.Master
	endpoints map[uint32]Endpoint

	r       registers
	control control
	cmdq    consumer
	pending invalidations
	atc     invalidationsATC
	msi     messages
	wires   wires
	events  output
	pri     output
	tlb     tlb
	caches  caches
	flight  flight
	stats   Stats
	epoch   uint32 // counts resets; what was under way in an earlier epoch is void
}

// New builds an SMMU at its reset state. Its accesses go to memory in the name of master.
func New(spec Spec, eng *sim.Engine, master *bus.Master, memory bus.Target, lines Lines,
	pes EventReceiver) (*SMMU, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	s := &SMMU{
		spec: spec, idr: spec.identification(), eng: eng, memory: memory, lines: lines, pes: pes, master: master,
		endpoints: map[uint32]Endpoint{},
	}
	s.control.init(s)
	s.cmdq.init(s)
	s.pending.init(s)
	s.atc.init(s)
	s.msi.init(s)
	s.wires.init(s)
	s.events.init(s, eventOutput)
	s.pri.init(s, priOutput)
	s.tlb.init(spec.TLBSets, spec.TLBWays)
	s.caches.init(spec.ConfigEntries)
	s.flight.stalled = make([]*Request, spec.StallMax)
	s.Reset()
	return s, nil
}

// Spec returns what the SMMU was built from.
func (s *SMMU) Spec() Spec { return s.spec }

// Master is the SMMU as a master of its own accesses.
func (s *SMMU) Master() *bus.Master { return s.master }

// Connect makes a device with an address translation cache known by its StreamID.
func (s *SMMU) Connect(stream uint32, e Endpoint) { s.endpoints[stream] = e }

// Reset puts everything to its power-on state: transactions that are under way end without an answer.
func (s *SMMU) Reset() {
	s.epoch++
	s.r = registers{}
	s.cmdq.reset()
	s.pending.reset()
	s.atc.reset()
	s.msi.reset()
	s.events.reset()
	s.pri.reset()
	s.tlb.clear()
	s.caches.clear()
	s.flight.reset()
	s.control.reset()
}

// after is a time after now, by one of the latencies.
func (s *SMMU) after(n LatencyName) sim.Time { return s.eng.Now() + s.spec.Latency[n] }

// remark blames software for something that has no meaning.
func (s *SMMU) remark(register, what string, unpredictable bool) {
	s.eng.Remark(sim.Remark{
		At: s.eng.Now(), Source: s.master.Name, Register: register, What: what, Unpredictable: unpredictable,
	})
}

// trace writes a record of a step. Callers stand behind sim.Engine.Tracing.
func (s *SMMU) trace(format string, args ...any) {
	s.eng.Trace(s.eng.Now(), s.master.Name, format, args...)
}

// tag marks an event with the present epoch.
func (s *SMMU) tag(v uint32) uint64 { return uint64(s.epoch)<<32 | uint64(v) }

// void reports whether an event is of an earlier epoch.
func (s *SMMU) void(arg uint64) bool { return uint32(arg>>32) != s.epoch }
