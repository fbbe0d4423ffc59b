package gicv3

import (
	"fmt"
	mathbits "math/bits"
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The LPI tables in memory: a configuration byte for each LPI, from INTID 8192 on, and a pending bit for each INTID.
// IHI 0069, 5.1.1 and 5.1.2.

// configAttr and pendingAttr are the attributes that the registers ask for.
func (r *Redistributor) configAttr() bus.Attr {
	return bus.TableAttr(gic.Cacheability(gic.GICR_PROPBASER_InnerCache.Get(r.propbaser)),
		gic.Cacheability(gic.GICR_PROPBASER_OuterCache.Get(r.propbaser)),
		gic.Shareability(gic.GICR_PROPBASER_Shareability.Get(r.propbaser)))
}

func (r *Redistributor) pendingAttr() bus.Attr {
	return bus.TableAttr(gic.Cacheability(gic.GICR_PENDBASER_InnerCache.Get(r.pendbaser)),
		gic.Cacheability(gic.GICR_PENDBASER_OuterCache.Get(r.pendbaser)),
		gic.Shareability(gic.GICR_PENDBASER_Shareability.Get(r.pendbaser)))
}

// configAt is the address of an LPI's configuration byte.
func (r *Redistributor) configAt(id gic.INTID) bus.Addr {
	return bus.Addr(gic.GICR_PROPBASER_Physical_Address.Get(r.propbaser)<<12 + uint64(id-gic.FirstLPI))
}

// pendingAt is the address of the byte with an INTID's pending bit.
func (r *Redistributor) pendingAt(id gic.INTID) bus.Addr {
	return bus.Addr(gic.GICR_PENDBASER_Physical_Address.Get(r.pendbaser)<<16 + uint64(id/8))
}

// access begins a transaction. A table that is not in memory reads as zero.
func (u *lpiUnit) access(t *bus.Transaction, op bus.Op, at bus.Addr, size uint8, attr bus.Attr, now sim.Time) sim.Time {
	t.At, t.Addr, t.Len, t.Op, t.Attr = now, at, size, op, attr
	if op == bus.Read {
		t.Data = [len(t.Data)]uint64{}
	}
	a := u.memory.Transact(t)
	if a.Fault != bus.NoFault {
		u.r.g.eng.Remark(sim.Remark{
			At: now, Source: fmt.Sprint("GICR", u.r.index), Register: "GICR_PROPBASER, GICR_PENDBASER",
			What: fmt.Sprintf("%s of an LPI table at %#x: %s", op, uint64(at), a.Fault),
		})
		if op == bus.Read {
			t.Data = [len(t.Data)]uint64{}
		}
		return now
	}
	return a.Done
}

// lookConfig looks a configuration byte up, in the cache or in memory.
func (u *lpiUnit) lookConfig(id gic.INTID, now sim.Time) sim.Time {
	if i := u.cached(id); i >= 0 {
		u.config.Data[0] = uint64(u.cache[i].config)
		return now
	}
	attr := u.r.configAttr()
	done := u.access(&u.config, bus.Read, u.r.configAt(id), 1, attr, now)
	u.keep(id, u.found(), attr)
	return done
}

// found is the configuration byte that was looked up last.
func (u *lpiUnit) found() uint8 { return uint8(u.config.Data[0]) }

// lookPending reads the byte with a pending bit.
func (u *lpiUnit) lookPending(id gic.INTID, now sim.Time) sim.Time {
	return u.access(&u.table, bus.Read, u.r.pendingAt(id), 1, u.r.pendingAttr(), now)
}

// tell writes the byte that was read last with a bit as it is now. It answers when that is done, at once if there is
// nothing to write.
func (u *lpiUnit) tell(id gic.INTID, pending bool, now sim.Time) sim.Time {
	if !u.r.g.spec.PendingWrites {
		return now
	}
	return u.write(id, pending, now)
}

// write writes the byte that was read last, with a bit set or cleared.
func (u *lpiUnit) write(id gic.INTID, pending bool, now sim.Time) sim.Time {
	t := &u.table
	bit := uint64(1) << (id % 8)
	is := t.Data[0]&bit != 0
	if is == pending {
		return now
	}
	t.Data[0] ^= bit
	return u.access(t, bus.Write, t.Addr, 1, u.r.pendingAttr(), now)
}

// cached is the place of a configuration in the cache, -1 if it is not there.
func (u *lpiUnit) cached(id gic.INTID) int {
	return slices.IndexFunc(u.cache, func(c cachedConfig) bool { return c.id == id })
}

// keep puts a configuration into the cache, in place of the oldest.
func (u *lpiUnit) keep(id gic.INTID, config uint8, attr bus.Attr) {
	spec := &u.r.g.spec
	if spec.ConfigCache == 0 || spec.ConfigCacheByHint && attr.Outer&bus.ReadAllocate == 0 {
		return
	}
	if len(u.cache) == spec.ConfigCache {
		u.cache = slices.Delete(u.cache, 0, 1)
	}
	u.cache = append(u.cache, cachedConfig{id, config})
}

// forget takes a configuration out of the cache.
func (u *lpiUnit) forget(id gic.INTID) {
	if i := u.cached(id); i >= 0 {
		u.cache = slices.Delete(u.cache, i, i+1)
	}
}

// scan reads the pending table, a line at a time, and then the configurations of what it has found. With
// GICR_PENDBASER.PTZ software has promised that there is nothing; the promise is good for once.
func (u *lpiUnit) scan(now sim.Time) (sim.Time, bool) {
	r, t := u.r, &u.table
	limit := r.lpiLimit()
	switch u.phase {
	case lpiBegin:
		u.from, u.left = uint64(gic.FirstLPI), u.left[:0]
		if gic.GICR_PENDBASER_PTZ.Is(r.pendbaser) {
			r.pendbaser = gic.GICR_PENDBASER_PTZ.Put(r.pendbaser, 0)
			u.from = limit
		}
		u.phase = lpiLooked
	case lpiLooked:
		for word := range bus.MaxLength / 8 {
			for set := t.Data[word]; set != 0; set &= set - 1 {
				if id := u.from + uint64(64*word+mathbits.TrailingZeros64(set)); id < limit {
					u.left = append(u.left, lpi(lpiINTID.Put(0, id)))
				}
			}
		}
		u.takeOver(now)
		u.from += 8 * bus.MaxLength
	default:
		id := u.left[0].id()
		if u.find(id) < 0 {
			u.insert(id, u.found())
		}
		u.left = u.left[1:]
	}
	if u.from < limit {
		return u.access(t, bus.Read, r.pendingAt(gic.INTID(u.from)), bus.MaxLength, r.pendingAttr(), now), true
	}
	if len(u.left) > 0 {
		u.phase = lpiWritten
		return u.lookConfig(u.left[0].id(), now), true
	}
	return 0, false
}

// takeOver makes the line of the table that was read zero, if the redistributor keeps to itself what is pending: its
// bits would stay when the LPIs are taken.
func (u *lpiUnit) takeOver(now sim.Time) {
	t := &u.table
	if none := [len(t.Data)]uint64{}; t.Data != none && !u.r.g.spec.PendingWrites {
		t.Data = none
		u.access(t, bus.Write, t.Addr, bus.MaxLength, u.r.pendingAttr(), now)
	}
}

// drain writes what is pending to the table, which software may read from then on. IHI 0069, 12.11, GICR_CTLR.
func (u *lpiUnit) drain(now sim.Time) (sim.Time, bool) {
	switch u.phase {
	case lpiBegin:
		u.left = append(u.left[:0], u.pending...)
		u.pending, u.cache = u.pending[:0], u.cache[:0]
	case lpiLooked:
		u.phase = lpiWritten
		if done := u.write(u.left[0].id(), true, now); done > now {
			return done, true
		}
		fallthrough
	case lpiWritten:
		u.left = u.left[1:]
	}
	if len(u.left) > 0 {
		u.phase = lpiLooked
		return u.lookPending(u.left[0].id(), now), true
	}
	u.r.released()
	u.r.g.dist.changed = true
	return 0, false
}
