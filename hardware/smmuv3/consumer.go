package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// consumerState is what the consumer of the Command queue does.
type consumerState uint8

const (
	consumerOff       consumerState = iota // CMDQEN is 0
	consumerIdle                           // nothing to do, or nothing that makes sense
	consumerFetching                       // an entry is being read
	consumerDecoding                       // it has arrived
	consumerExecuting                      // its command will be consumed
	consumerSyncing                        // a CMD_SYNC waits for what came before it
	consumerHalted                         // a command failed
)

// String is the state in dumps.
func (c consumerState) String() string {
	return [...]string{"off", "idle", "fetching", "decoding", "executing", "syncing", "halted"}[c]
}

// maxFetch is the number of commands in a line.
const maxFetch = bus.MaxLength / int(smmu.CommandSize)

// A command is the two words of an entry of the Command queue.
type command [2]uint64

func (c command) opcode() smmu.Opcode { return smmu.Opcode(smmu.CMD0_Opcode.Get(c[0])) }

// consumer takes commands from the Command queue, one after another: see the diagram in the package comment.
//
// Invariant: an event is pending while it fetches, decodes or executes, and while it syncs if due is set.
type consumer struct {
	s       *SMMU
	channel sim.Channel
	state   consumerState
	due     bool   // a CMD_SYNC completes
	records uint64 // a CMD_SYNC waits for these records, once nothing else is left to wait for
	fetched struct {
		commands [maxFetch]command
		first    uint64 // pointer of the first that has not been decoded
		count    int
		next     int
		aborted  bool
	}
	now command // the one that is executed
	t   bus.Transaction
}

func (c *consumer) init(s *SMMU) {
	c.s = s
	s.eng.Register(&c.channel, s.master.Name+" command queue")
}

func (c *consumer) reset() {
	c.state, c.due, c.records = consumerOff, false, unknownRecords
	c.fetched.count, c.fetched.next = 0, 0
}

// become goes to a state whose end comes after a latency.
func (c *consumer) become(state consumerState, at sim.Time) {
	c.state = state
	c.s.eng.Post(&c.channel, at, c, c.s.tag(0))
}

// busy reports whether a command is in progress.
func (c *consumer) busy() bool {
	return c.state != consumerOff && c.state != consumerIdle && c.state != consumerHalted
}

// enable is CMDQEN as it has taken effect.
func (c *consumer) enable(on bool) {
	switch {
	case !on:
		c.state, c.fetched.count = consumerOff, 0
	case c.state == consumerOff:
		c.state = consumerIdle
		c.kick()
	}
}

func (s *SMMU) commandRing() ring { return newRing(s.r.command.base, 4) }

// kick looks for a command to fetch: software has moved PROD, or acknowledged an error.
func (c *consumer) kick() {
	s := c.s
	if c.state == consumerHalted && !s.failing(smmu.SMMU_GERROR_CMDQ_ERR) {
		c.state = consumerIdle // the entry is read again, which may have been repaired
	}
	if c.state != consumerIdle || s.failing(smmu.SMMU_GERROR_CMDQ_ERR) || !smmu.SMMU_CR0_CMDQEN.Is(s.r.cr0) {
		return
	}
	q, ring := &s.r.command, s.commandRing()
	switch {
	case ring.empty(q.prod, q.cons):
	case !ring.consistent(q.prod, q.cons):
		s.remark("SMMU_CMDQ_PROD", "is not between SMMU_CMDQ_CONS and one queue ahead of it: nothing is consumed", true)
	case c.fetched.next < c.fetched.count:
		c.become(consumerDecoding, s.after(CommandDecode))
	default:
		c.become(consumerFetching, s.after(CommandFetch))
	}
}

// Fire ends what the consumer does.
func (c *consumer) Fire(now sim.Time, arg uint64) {
	if c.s.void(arg) {
		return
	}
	switch c.state {
	case consumerFetching:
		c.fetch(now)
	case consumerDecoding:
		c.decode()
	case consumerExecuting:
		c.advance()
	case consumerSyncing:
		c.complete()
	default:
		panic("BUG: the command queue's consumer is " + c.state.String() + " and has nothing to end")
	}
}

// fetch reads entries, as many as one line has, and no further than PROD was seen.
func (c *consumer) fetch(now sim.Time) {
	s, ring := c.s, c.s.commandRing()
	q := &s.r.command
	addr := ring.at(q.cons)
	n := min(uint64(s.spec.FetchCommands), ring.used(q.prod, q.cons), ring.size()-ring.index(q.cons),
		(bus.MaxLength-addr%bus.MaxLength)/uint64(smmu.CommandSize))
	c.t = bus.Transaction{
		Master: s.master, At: now, Addr: bus.Addr(addr), Len: uint8(n) * uint8(smmu.CommandSize), Op: bus.Read,
		Attr: s.queueAccess(q.base),
	}
	a := s.memory.Transact(&c.t)
	f := &c.fetched
	f.first, f.count, f.next, f.aborted = q.cons, int(n), 0, failed(a.Fault)
	for i := range f.count {
		f.commands[i] = command{c.t.Data[2*i], c.t.Data[2*i+1]}
	}
	c.become(consumerDecoding, a.Done+s.spec.Latency[CommandDecode])
}

// decode begins the command at CONS, or refuses it.
func (c *consumer) decode() {
	s, f := c.s, &c.fetched
	if f.aborted {
		c.halt(smmu.CERROR_ABT)
		return
	}
	c.now = f.commands[f.next]
	if s.eng.Tracing {
		s.trace("command %d: %s", s.commandRing().index(s.r.command.cons), DecodeCommand(c.now[0], c.now[1]))
	}
	if e := s.legal(c.now); e != smmu.CERROR_NONE {
		c.halt(e)
		return
	}
	f.next++
	s.stats.Commands++
	if c.now.opcode() == smmu.CMD_SYNC {
		c.state = consumerSyncing
		c.progress()
		return
	}
	c.become(consumerExecuting, s.after(CommandConsume))
}

// halt stops at the command at CONS. What was fetched is forgotten, since software may repair it. IHI 0070, 7.1.
func (c *consumer) halt(e smmu.CommandError) {
	s := c.s
	c.state, c.fetched.count, c.fetched.next = consumerHalted, 0, 0
	s.r.command.cons = smmu.SMMU_CMDQ_CONS_ERR.Put(s.r.command.cons, uint64(e))
	s.stats.CommandErrors++
	s.raise(smmu.SMMU_GERROR_CMDQ_ERR)
	s.control.settled()
}

// advance consumes the command that is executed.
func (c *consumer) advance() {
	c.s.execute(c.now)
	c.pass()
	c.idle()
}

// pass moves CONS behind the command. A queue that could be seen full and no longer is, is an event to PEs.
func (c *consumer) pass() {
	s, q, ring := c.s, &c.s.r.command, c.s.commandRing()
	full := ring.full(q.prod, q.cons)
	q.cons = q.cons&uint64(smmu.SMMU_CMDQ_CONS_ERR) | ring.next(q.cons)
	if full {
		s.sendEvent(s.eng.Now())
	}
}

// idle looks for the next command.
func (c *consumer) idle() {
	c.state = consumerIdle
	c.s.control.settled()
	c.kick()
}

// progress is called whenever something has completed that a CMD_SYNC may wait for: all that came before it, and then
// the records of what that has ended.
func (c *consumer) progress() {
	if c.state != consumerSyncing || c.due || !c.s.drained() {
		return
	}
	if c.records == unknownRecords {
		c.records = c.s.events.put
	}
	if c.s.events.gone >= c.records {
		c.due, c.records = true, unknownRecords
		c.s.eng.Post(&c.channel, c.s.after(SyncComplete), c, c.s.tag(0))
	}
}

// unknownRecords: a CMD_SYNC waits for other things first.
const unknownRecords = ^uint64(0)

// complete ends a CMD_SYNC: what it guarantees is visible, then CONS passes it, then its signal leaves. IHI 0070,
// 4.7.3. An ATC that did not answer makes it fail; done again, it no longer waits for that.
func (c *consumer) complete() {
	s := c.s
	c.due = false
	if s.atc.failed {
		s.atc.failed = false
		c.halt(smmu.CERROR_ATC_INV_SYNC)
		return
	}
	s.stats.Syncs++
	if s.spec.Mutants.SignalBeforeConsumption {
		s.signal(c.now)
		c.pass()
	} else {
		c.pass()
		s.signal(c.now)
	}
	c.idle()
}

func (s *SMMU) readCmdqBase() uint64 { return s.r.command.base }
func (s *SMMU) readCmdqProd() uint64 { return s.r.command.prod }
func (s *SMMU) readCmdqCons() uint64 { return s.r.command.cons }

func (s *SMMU) commandsOff() bool { return !smmu.SMMU_CR0_CMDQEN.Is(s.r.cr0 | s.r.cr0ack) }

func (s *SMMU) writeCmdqBase(v, mask uint64) {
	if s.may(s.commandsOff(), "SMMU_CMDQ_BASE") {
		s.r.command.base = s.queueBase(s.r.command.base&^mask|v&mask, s.spec.CommandLog2)
	}
}

func (s *SMMU) writeCmdqProd(v uint64) {
	s.r.command.prod = v & uint64(smmu.SMMU_CMDQ_PROD_WR)
	s.cmdq.kick()
}

// writeCmdqCons: software sets CONS while the queue is off only.
func (s *SMMU) writeCmdqCons(v uint64) {
	if s.may(s.commandsOff(), "SMMU_CMDQ_CONS") {
		s.r.command.cons = v & uint64(smmu.SMMU_CMDQ_CONS_RD|smmu.SMMU_CMDQ_CONS_ERR)
	}
}
