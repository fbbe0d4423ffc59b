package smmuv3

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
)

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

// Problem is what waits for software once nothing is under way any more, "" if nothing does: a command that failed, a
// transaction that stalls, commands that do not follow on one another.
func (s *SMMU) Problem() string {
	q := &s.r.command
	switch {
	case s.failing(smmu.SMMU_GERROR_CMDQ_ERR):
		e, _ := named("SMMU_CMDQ_CONS", "ERR", smmu.SMMU_CMDQ_CONS_ERR.Get(q.cons))
		return fmt.Sprintf("the SMMU's command queue is halted at entry %d: %s", s.commandRing().index(q.cons), e)
	case s.on(smmu.SMMU_CR0_CMDQEN) && !s.commandRing().consistent(q.prod, q.cons):
		return fmt.Sprintf("SMMU_CMDQ_PROD 0x%x is not between SMMU_CMDQ_CONS 0x%x and one queue ahead of it", q.prod, q.cons)
	}
	for _, r := range s.flight.list {
		if r.state == requestStalled || r.state == requestBlocked {
			return fmt.Sprintf("a transaction of stream %d, %s 0x%x, is %s", r.Master.StreamID, r.Op, uint64(r.Addr), r.state)
		}
	}
	return ""
}
