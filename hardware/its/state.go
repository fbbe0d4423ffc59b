package its

import "github.com/hwscript/hwscript/hardware/arch/gic"

// registerState is what software has written, and where the queue is.
//
// Invariant: cwriter and creadr are multiples of a command's size. baser has no bit that is read-only.
type registerState struct {
	enabled bool
	cbaser  uint64
	cwriter uint64
	creadr  uint64
	stalled bool
	baser   [basers]uint64
	done    uint64 // commands, since the queue was set up
}

// The registers GITS_BASER, and which describe what.
const (
	basers = 8

	deviceTable     = 0
	collectionTable = 1
)

// counts are the n of the latencies, and what the ITS has done.
type counts struct {
	commands, messages uint64
	dropped            uint64 // messages that made no interrupt pending
}

// A Checkpoint is all state of an ITS in which nothing is under way.
type Checkpoint struct {
	registers registerState
	counts    counts
	held      []uint64
	kept      [caches][]kept
	events    []Event
	lost      uint64
	sent      []uint64
}

// Save takes a checkpoint.
func (i *ITS) Save() *Checkpoint {
	c := &Checkpoint{
		registers: i.registerState, counts: i.counts, held: append([]uint64(nil), i.held...),
		events: append([]Event(nil), i.events...), lost: i.lost, sent: make([]uint64, len(i.wires)),
	}
	for n := range i.caches {
		c.kept[n] = append([]kept(nil), i.caches[n].entries...)
	}
	for n := range i.wires {
		c.sent[n] = i.wires[n].sent
	}
	return c
}

// Restore puts the ITS back to where it was saved.
func (i *ITS) Restore(c *Checkpoint) {
	i.abandon()
	i.registerState, i.counts, i.lost = c.registers, c.counts, c.lost
	copy(i.held, c.held)
	i.events = append(i.events[:0], c.events...)
	for n := range i.caches {
		copy(i.caches[n].entries, c.kept[n])
	}
	for n := range i.wires {
		i.wires[n].sent = c.sent[n]
	}
}

// queueSize is the size of the queue in bytes, 0 if there is none.
func (s *registerState) queueSize() uint64 {
	if !gic.GITS_CBASER_Valid.Is(s.cbaser) {
		return 0
	}
	return (gic.GITS_CBASER_Size.Get(s.cbaser) + 1) * queuePage
}

// queuePage is what GITS_CBASER.Size counts, and queueAlign what the queue's address is a multiple of.
const (
	queuePage  = 4096
	queueAlign = 64 << 10
)

// queueBase is the address of the queue.
func (s *registerState) queueBase() uint64 {
	return s.cbaser & uint64(gic.GITS_CBASER_Physical_Address) &^ (queueAlign - 1)
}
