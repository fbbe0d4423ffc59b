package smmuv3

// Stats counts what an SMMU has done.
type Stats struct {
	Transactions  uint64 // of devices
	TLBHits       uint64
	TLBMisses     uint64
	Reads         uint64 // of structures and descriptors
	Faults        uint64 // transactions that were refused
	Stalls        uint64
	Commands      uint64
	Syncs         uint64 // of these, CMD_SYNCs that have completed
	CommandErrors uint64
	MSIs          uint64
	Records       uint64 // written to the Event and PRI queues
	Lost          uint64 // records that found no room
}

// Stats returns the counters. They are not reset with the SMMU.
func (s *SMMU) Stats() Stats { return s.stats }

// Idle reports whether nothing is under way by itself: no command that can be done, no record, no transaction but those
// that wait for software.
func (s *SMMU) Idle() bool {
	for _, r := range s.flight.list {
		if r.state != requestStalled && r.state != requestBlocked {
			return false
		}
	}
	return !s.cmdq.busy() && s.events.waiting.len() == 0 && s.pri.waiting.len() == 0 && s.msi.waiting.len() == 0 &&
		s.pending.waiting.len() == 0 && s.atc.waiting == 0
}
