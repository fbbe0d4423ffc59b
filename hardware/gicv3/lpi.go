package gicv3

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An lpi is a pending LPI. The smaller the number, the more urgent it is; those that are disabled come last.
type lpi uint64

const (
	lpiINTID    bits.Field = 0xffff_ffff << 0 // [31:0]
	lpiPriority bits.Field = 0xff << 32       // [39:32]
	lpiDisabled bits.Field = 1 << 40          // [40]
)

func (p lpi) id() gic.INTID   { return gic.INTID(lpiINTID.Get(uint64(p))) }
func (p lpi) priority() uint8 { return uint8(lpiPriority.Get(uint64(p))) }

// lpiState is what a redistributor knows of its LPIs.
//
// Invariant: pending is sorted, and no two have one INTID.
type lpiState struct {
	pending []lpi
	cache   []cachedConfig // the oldest first
}

// cachedConfig is a configuration byte that a redistributor has kept.
type cachedConfig struct {
	id     gic.INTID
	config uint8
}

// An lpiUnit is what of a redistributor handles LPIs. Requests are served one after another, each with its lookups in
// memory; the configuration byte and the pending bit of an LPI are looked up at once.
type lpiUnit struct {
	r       *Redistributor
	memory  bus.Target
	channel sim.Channel
	event   sim.Event

	queue []lpiRequest // from head on
	head  int
	busy  bool // a request is being served

	handed  int          // LPIs that are on their way to other redistributors, for moves
	waiting []lpiRequest // syncs that wait for them to arrive

	phase lpiPhase
	from  uint64 // of a scan: the next INTID
	left  []lpi  // of a request for many: those that are left

	config bus.Transaction // the lookup of a configuration byte; its data is what was found last
	table  bus.Transaction // the access to the pending table
	lpiState
}

// lpiPhase is how far the request that is served has come.
type lpiPhase uint8

const (
	lpiBegin   lpiPhase = iota
	lpiLooked           // the lookups are done
	lpiWritten          // the pending table is written
)

// lpiKind is what is asked of a redistributor.
type lpiKind uint8

const (
	lpiSet           lpiKind = iota // the LPI becomes pending
	lpiClear                        // ... is no longer
	lpiTaken                        // it was acknowledged: the pending table is told
	lpiInvalidate                   // its configuration may have changed
	lpiInvalidateAll                // that of any
	lpiMove                         // it goes to another redistributor if it is pending
	lpiMoveAll                      // all that are pending do
	lpiScan                         // EnableLPIs was set: the pending table is read
	lpiDrain                        // EnableLPIs was cleared: the pending table is written
	lpiSync                         // everything before is done
)

var lpiKindNames = [...]string{
	"set", "clear", "taken", "invalidate", "invalidate all", "move", "move all", "scan", "drain", "sync",
}

// String is the request's name in traces.
func (k lpiKind) String() string { return lpiKindNames[k] }

// lpiRequest is a request.
type lpiRequest struct {
	kind   lpiKind
	id     gic.INTID
	to     int16       // of a move
	from   *lpiUnit    // of a set that is the end of a move
	answer sim.Handler // of a sync, with arg
	arg    uint64
}

// ConnectMemory gives each redistributor the way to its LPI tables. Without, there are no LPIs: their tables are empty
// and nothing becomes pending.
func (g *GIC) ConnectMemory(port func(cpu int) bus.Target) {
	if !g.spec.LPIS {
		return
	}
	for i := range g.redists {
		r := &g.redists[i]
		r.lpis = &lpiUnit{r: r, memory: port(i)}
		g.eng.Register(&r.lpis.channel, fmt.Sprintf("LPIs of GICR%d", i))
	}
}

// What an ITS asks of redistributors, by their numbers. All but SyncLPIs are handed over and done later, in order; what
// no redistributor can do (LPIs are disabled, the INTID is out of range) has no effect. IHI 0069, 5.3.

// SetLPI makes an LPI pending.
func (g *GIC) SetLPI(rd int, intid uint32) {
	g.redists[rd].request(lpiRequest{kind: lpiSet, id: gic.INTID(intid)})
}

// ClearLPI makes an LPI no longer pending.
func (g *GIC) ClearLPI(rd int, intid uint32) {
	g.redists[rd].request(lpiRequest{kind: lpiClear, id: gic.INTID(intid)})
}

// InvalidateLPI makes changes to an LPI's configuration take effect.
func (g *GIC) InvalidateLPI(rd int, intid uint32) {
	g.redists[rd].request(lpiRequest{kind: lpiInvalidate, id: gic.INTID(intid)})
}

// InvalidateAllLPIs makes changes to all configurations take effect.
func (g *GIC) InvalidateAllLPIs(rd int) {
	g.redists[rd].request(lpiRequest{kind: lpiInvalidateAll, id: gic.FirstLPI})
}

// MoveLPI makes an LPI pending at another redistributor, if it is at this one.
func (g *GIC) MoveLPI(from, to int, intid uint32) {
	if from != to {
		g.redists[from].request(lpiRequest{kind: lpiMove, id: gic.INTID(intid), to: int16(to)})
	}
}

// MoveAllLPIs makes all LPIs that are pending at a redistributor pending at another.
func (g *GIC) MoveAllLPIs(from, to int) {
	if from != to {
		g.redists[from].request(lpiRequest{kind: lpiMoveAll, id: gic.FirstLPI, to: int16(to)})
	}
}

// SyncLPIs answers when all that was asked of a redistributor before is done, and what it had to move has arrived. One
// that knows no LPIs answers at once.
func (g *GIC) SyncLPIs(rd int, h sim.Handler, arg uint64) {
	u := g.redists[rd].lpis
	if u == nil {
		h.Fire(g.eng.Now(), arg)
		return
	}
	u.submit(lpiRequest{kind: lpiSync, answer: h, arg: arg})
}

// LPIPending reports whether an LPI is pending at a redistributor, for inspection.
func (g *GIC) LPIPending(rd int, intid uint32) bool {
	u := g.redists[rd].lpis
	return u != nil && u.find(gic.INTID(intid)) >= 0
}

// request takes a request for an LPI, unless it can have no effect.
func (r *Redistributor) request(q lpiRequest) {
	switch {
	case r.lpis == nil:
	case !r.powered || !r.enableLPIs || q.id < gic.FirstLPI || uint64(q.id) >= r.lpiLimit():
		if q.kind == lpiSet {
			r.stats.LPIsDropped++
		}
	default:
		if q.from != nil {
			q.from.handed++
		}
		r.lpis.submit(q)
	}
}

// lpiLimit is the first INTID behind those that the tables have room for. Fewer than 14 bits leave no LPIs.
func (r *Redistributor) lpiLimit() uint64 {
	n := min(int(gic.GICR_PROPBASER_IDbits.Get(r.propbaser))+1, r.g.spec.IDbits)
	return 1 << n
}

// submit puts a request behind the others.
func (u *lpiUnit) submit(q lpiRequest) {
	u.explored()
	u.queue = append(u.queue, q)
	if !u.busy {
		u.serve(u.r.g.eng.Now())
	}
}

// explored ends an exploration: what is pending, and the tables, are no part of its states.
func (u *lpiUnit) explored() {
	if u.r.g.refuse != nil {
		u.r.g.refuse()
	}
}

// serve goes on with the requests until one has to wait.
func (u *lpiUnit) serve(now sim.Time) {
	u.busy = true
	for u.head < len(u.queue) {
		q := u.queue[u.head]
		until, waits := u.step(&q, now)
		if waits {
			u.event = u.r.g.eng.Post(&u.channel, until, u, 0)
			return
		}
		u.phase = lpiBegin
		u.head++
		if q.from != nil {
			q.from.arrived(now)
		}
		if u.head > len(u.queue)/2 && u.head > 64 {
			u.queue = slices.Delete(u.queue, 0, u.head)
			u.head = 0
		}
	}
	u.queue, u.head, u.busy = u.queue[:0], 0, false
}

// Fire is the time at which what the present request waited for is done.
func (u *lpiUnit) Fire(now sim.Time, _ uint64) { u.serve(now) }

// step goes on with a request. It answers until when that has to wait; false if it is done.
func (u *lpiUnit) step(q *lpiRequest, now sim.Time) (until sim.Time, waits bool) {
	if u.r.g.eng.Tracing && u.phase == lpiBegin {
		u.r.g.eng.Trace(now, fmt.Sprintf("GICR%d", u.r.index), "LPI %d: %s", q.id, q.kind)
	}
	switch q.kind {
	case lpiSet:
		return u.set(q, now)
	case lpiClear:
		return u.clear(q, now)
	case lpiTaken:
		return u.record(q, now)
	case lpiInvalidate:
		return u.invalidate(q, now)
	case lpiInvalidateAll:
		return u.invalidateAll(now)
	case lpiMove:
		return u.move(q, now)
	case lpiMoveAll:
		return u.moveAll(q, now)
	case lpiScan:
		return u.scan(now)
	case lpiDrain:
		return u.drain(now)
	}
	if u.handed > 0 {
		u.waiting = append(u.waiting, *q)
	} else {
		q.answer.Fire(now, q.arg)
	}
	return 0, false
}

// arrived is the end of a move, at the other redistributor.
func (u *lpiUnit) arrived(now sim.Time) {
	if u.handed--; u.handed > 0 {
		return
	}
	for len(u.waiting) > 0 && u.handed == 0 {
		q := u.waiting[0]
		u.waiting = slices.Delete(u.waiting, 0, 1)
		q.answer.Fire(now, q.arg)
	}
}

// set looks the LPI up, makes it pending, and tells the pending table.
func (u *lpiUnit) set(q *lpiRequest, now sim.Time) (sim.Time, bool) {
	stats := &u.r.stats
	switch u.phase {
	case lpiBegin:
		if u.find(q.id) >= 0 {
			stats.LPIsCoalesced++
			return 0, false
		}
		done := u.lookConfig(q.id, now)
		if u.r.g.spec.PendingWrites {
			done = max(done, u.lookPending(q.id, now))
		}
		u.phase = lpiLooked
		if done > now {
			return done, true
		}
		fallthrough
	case lpiLooked:
		stats.LPIsDelivered++
		u.insert(q.id, u.found())
		if done := u.tell(q.id, true, now); done > now {
			u.phase = lpiWritten
			return done, true
		}
	}
	return 0, false
}

// clear makes an LPI no longer pending. What is not pending is not in the table either.
func (u *lpiUnit) clear(q *lpiRequest, now sim.Time) (sim.Time, bool) {
	if u.phase == lpiBegin && !u.remove(q.id) {
		return 0, false
	}
	return u.record(q, now)
}

// record makes the pending table say what is so.
func (u *lpiUnit) record(q *lpiRequest, now sim.Time) (sim.Time, bool) {
	switch u.phase {
	case lpiBegin:
		if u.r.g.spec.PendingWrites {
			u.phase = lpiLooked
			return u.lookPending(q.id, now), true
		}
	case lpiLooked:
		if done := u.tell(q.id, u.find(q.id) >= 0, now); done > now {
			u.phase = lpiWritten
			return done, true
		}
	}
	return 0, false
}

// invalidate forgets a configuration, and looks it up anew if the LPI is pending.
func (u *lpiUnit) invalidate(q *lpiRequest, now sim.Time) (sim.Time, bool) {
	if u.phase == lpiBegin {
		u.forget(q.id)
		if u.find(q.id) < 0 {
			return 0, false
		}
		u.phase = lpiLooked
		return u.lookConfig(q.id, now), true
	}
	if u.find(q.id) >= 0 { // else it was taken meanwhile
		u.remove(q.id)
		u.insert(q.id, u.found())
	}
	return 0, false
}

// invalidateAll does so for all.
func (u *lpiUnit) invalidateAll(now sim.Time) (sim.Time, bool) {
	if u.phase == lpiBegin {
		u.cache = u.cache[:0]
		u.left = append(u.left[:0], u.pending...)
	} else {
		id := u.left[0].id()
		if u.find(id) >= 0 {
			u.remove(id)
			u.insert(id, u.found())
		}
		u.left = u.left[1:]
	}
	if len(u.left) == 0 {
		return 0, false
	}
	u.phase = lpiLooked
	return u.lookConfig(u.left[0].id(), now), true
}

// move hands a pending LPI to another redistributor when this one has done with it.
func (u *lpiUnit) move(q *lpiRequest, now sim.Time) (sim.Time, bool) {
	if u.phase == lpiBegin && !u.remove(q.id) {
		return 0, false
	}
	if until, waits := u.record(q, now); waits {
		return until, true
	}
	u.r.g.redists[q.to].request(lpiRequest{kind: lpiSet, id: q.id, from: u})
	return 0, false
}

// moveAll hands all pending LPIs over, one after another.
func (u *lpiUnit) moveAll(q *lpiRequest, now sim.Time) (sim.Time, bool) {
	if u.phase == lpiBegin {
		u.left = append(u.left[:0], u.pending...)
	}
	for len(u.left) > 0 {
		one := lpiRequest{kind: lpiMove, id: u.left[0].id(), to: q.to}
		if until, waits := u.move(&one, now); waits {
			return until, true
		}
		u.left, u.phase = u.left[1:], lpiBegin
	}
	return 0, false
}

// insert adds a pending LPI with its configuration byte.
func (u *lpiUnit) insert(id gic.INTID, config uint8) {
	p := lpiINTID.Put(0, uint64(id))
	p = lpiPriority.Put(p, uint64(u.r.g.spec.lpiPriority(config)))
	p = lpiDisabled.Put(p, 1-bits.Flag(gic.LPI_CONFIG_Enable.Is(uint64(config))))
	at, found := slices.BinarySearch(u.pending, lpi(p))
	if !found {
		u.pending = slices.Insert(u.pending, at, lpi(p))
	}
	u.presented()
}

// remove takes a pending LPI out; false if it is none.
func (u *lpiUnit) remove(id gic.INTID) bool {
	at := u.find(id)
	if at < 0 {
		return false
	}
	u.pending = slices.Delete(u.pending, at, at+1)
	u.presented()
	return true
}

// find is the place of a pending LPI, -1 if it is none.
func (u *lpiUnit) find(id gic.INTID) int {
	for i, p := range u.pending {
		if p.id() == id {
			return i
		}
	}
	return none
}

// presented makes the outputs follow.
func (u *lpiUnit) presented() {
	r := u.r
	best := lpi(0)
	if r.enableLPIs && len(u.pending) > 0 && !lpiDisabled.Is(uint64(u.pending[0])) {
		best = u.pending[0]
	}
	if best != r.bestLPI {
		r.bestLPI = best
		r.g.touch(r)
		r.g.settle()
	}
}

// lpiPriority is the priority of a configuration byte. With two security states an LPI is in the lower half of the
// priorities, as all that Non-secure software has.
func (s *Spec) lpiPriority(config uint8) uint8 {
	p := config & uint8(gic.LPI_CONFIG_Priority)
	if !s.DS {
		p = secureHalf | p>>1
	}
	return p
}

// acknowledge takes the LPI that is presented. It has no active state.
func (u *lpiUnit) acknowledge(id gic.INTID) {
	u.remove(id)
	if u.r.g.spec.PendingWrites && u.r.g.refuse == nil {
		u.submit(lpiRequest{kind: lpiTaken, id: id})
	}
}

// reset forgets everything, as without power. Who waits for a sync is answered: there is nothing left to wait for.
func (u *lpiUnit) reset() {
	u.r.g.eng.Cancel(u.event)
	queue := u.queue[u.head:]
	u.queue, u.head, u.busy, u.phase = nil, 0, false, lpiBegin
	u.pending, u.cache, u.left = u.pending[:0], u.cache[:0], u.left[:0]
	for i := range queue {
		switch q := &queue[i]; {
		case q.from != nil:
			q.from.arrived(u.r.g.eng.Now())
		case q.kind == lpiSync:
			q.answer.Fire(u.r.g.eng.Now(), q.arg)
		}
	}
}
