package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
)

// table is a table that a GITS_BASER describes.
type table uint64

// pageSize is the size of the table's pages in bytes.
func (t table) pageSize() uint64 {
	switch gic.PageSize(gic.GITS_BASER_Page_Size.Get(uint64(t))) {
	case gic.Page4K:
		return 4 << 10
	case gic.Page16K:
		return 16 << 10
	}
	return 64 << 10
}

// size is the size of the table, or its first level, in bytes. A table that is not valid has none.
func (t table) size() uint64 {
	if !gic.GITS_BASER_Valid.Is(uint64(t)) {
		return 0
	}
	return (gic.GITS_BASER_Size.Get(uint64(t)) + 1) * t.pageSize()
}

// base is the address of the table.
func (t table) base() uint64 {
	if t.pageSize() == 64<<10 {
		return uint64(t)&uint64(gic.BASER64K_Address) | gic.BASER64K_High.Get(uint64(t))<<48
	}
	return uint64(t) & uint64(gic.GITS_BASER_Physical_Address) &^ (t.pageSize() - 1)
}

func (t table) indirect() bool { return gic.GITS_BASER_Indirect.Is(uint64(t)) }

// attr is how the table is accessed.
func (t table) attr() bus.Attr {
	return bus.TableAttr(gic.Cacheability(gic.GITS_BASER_InnerCache.Get(uint64(t))),
		gic.Cacheability(gic.GITS_BASER_OuterCache.Get(uint64(t))),
		gic.Shareability(gic.GITS_BASER_Shareability.Get(uint64(t))))
}

// level1Size is the size of an entry of the first level of two.
const level1Size = 8

// entry is where the entry of an id is, or with two levels that of the first one. It is outside if the table has none.
func (t table) entry(id uint64) (addr uint64, outside bool) {
	at := id * entrySize
	if t.indirect() {
		at = id / (t.pageSize() / entrySize) * level1Size
	}
	return t.base() + at, at >= t.size()
}

// second is where the entry of an id is in the second level, of which this is the entry of the first.
func (t table) second(level1, id uint64) uint64 {
	page := level1 & uint64(gic.ITS_L1_Address) &^ (t.pageSize() - 1)
	return page + id%(t.pageSize()/entrySize)*entrySize
}

// reach makes the accesses to a table up to and with that of the entry of an id. When it is done, the entry that was
// read is the transaction's data.
func (o *operation) reach(number int, id uint64) demand {
	t := table(o.i.baser[number])
	switch o.phase {
	case begun:
		addr, outside := t.entry(id)
		switch {
		case outside || number == deviceTable && id>>o.i.spec.DeviceBits != 0:
			return o.fail(outsideOf[number], id)
		case t.indirect():
			o.phase = level1
			return o.load(addr, level1Size, t.attr())
		}
		return o.final(addr, t.attr())
	case level1:
		if v := o.t.Data[0]; gic.ITS_L1_Valid.Is(v) {
			return o.final(t.second(v, id), t.attr())
		}
		return o.fail(outsideOf[number], id)
	}
	return done
}

// outsideOf is what is wrong with an id for which a table has no entry.
var outsideOf = [...]Reason{deviceTable: deviceOutOfRange, collectionTable: collectionOutOfRange}

// final is the access to the entry itself.
func (o *operation) final(addr uint64, attr bus.Attr) demand {
	o.phase = reached
	if o.store {
		return o.save(addr, entrySize, attr, o.entry)
	}
	return o.load(addr, entrySize, attr)
}

// readDevice finds the device's entry.
func (o *operation) readDevice() demand {
	dte, kept := uint64(0), false
	if o.phase == begun {
		dte, kept = o.i.caches[deviceCache].find(o.device())
	}
	if !kept {
		if d := o.reach(deviceTable, o.device()); d != done {
			return d
		}
		dte = o.t.Data[0]
		o.i.keep(deviceCache, deviceTable, o.device(), dte)
	}
	if !gic.ITS_DTE_Valid.Is(dte) {
		return o.fail(unmappedDevice, o.device())
	}
	o.dte = dte
	return done
}

// events is the number of EventIDs of a device.
func events(dte uint64) uint64 { return 2 << gic.ITS_DTE_Size.Get(dte) }

// eventEntry is where the event's entry is in the table of its device.
func (o *operation) eventEntry() uint64 {
	return o.dte&uint64(gic.ITS_DTE_ITTaddr) + o.event()*uint64(o.i.spec.ITESize)
}

// eventKey is the event in the cache.
func (o *operation) eventKey() uint64 { return o.device()<<32 | o.event() }

// readEvent finds the event's entry.
func (o *operation) readEvent() demand {
	ite, kept := uint64(0), false
	if o.phase == begun {
		if o.event() >= events(o.dte) {
			return o.fail(eventOutOfRange, o.event())
		}
		if ite, kept = o.i.caches[eventCache].find(o.eventKey()); !kept {
			o.phase = reached
			return o.load(o.eventEntry(), uint8(o.i.spec.ITESize), table(o.i.baser[deviceTable]).attr())
		}
	}
	if !kept {
		ite = o.t.Data[0]
		o.i.keep(eventCache, deviceTable, o.eventKey(), ite)
	}
	if !gic.ITS_ITE_Valid.Is(ite) {
		return o.fail(unmappedEvent, o.event())
	}
	o.ite = ite
	return done
}

// writeEvent writes the event's entry, all bytes of it.
func (o *operation) writeEvent(ite uint64) demand {
	if o.phase == begun {
		o.phase = reached
		return o.save(o.eventEntry(), uint8(o.i.spec.ITESize), table(o.i.baser[deviceTable]).attr(), ite)
	}
	o.i.caches[eventCache].update(o.eventKey(), ite)
	return done
}

// readCollection finds the entry of the event's collection, readNewCollection that of the command's.
func (o *operation) readCollection() demand {
	return o.findCollection(gic.ITS_ITE_ICID.Get(o.ite), &o.cte)
}

func (o *operation) readNewCollection() demand { return o.findCollection(o.icid(), &o.to) }

func (o *operation) findCollection(icid uint64, into *uint64) demand {
	cte, kept := uint64(0), false
	if o.phase == begun {
		cte, kept = o.i.caches[collectionCache].find(icid)
	}
	if !kept {
		d := o.collection(icid)
		if d != done {
			return d
		}
		cte = o.entry
	}
	if !gic.ITS_CTE_Valid.Is(cte) {
		return o.fail(unmappedCollection, icid)
	}
	*into = cte
	return done
}

// collection reads or writes the entry of a collection, which is in the ITS or in memory. What was read is o.entry.
func (o *operation) collection(icid uint64) demand {
	i := o.i
	inside, index := i.place(icid)
	switch {
	case o.phase == begun && icid>>i.spec.CollectionBits != 0:
		return o.fail(collectionOutOfRange, icid)
	case inside && o.store:
		i.held[index] = o.entry
		return done
	case inside:
		o.entry = i.held[index]
		return done
	}
	d := o.reach(collectionTable, index)
	if d == done && !o.store {
		o.entry = o.t.Data[0]
		i.keep(collectionCache, collectionTable, icid, o.entry)
	}
	return d
}

// place says where a collection's entry is: in the ITS, or in memory, and at which index there.
func (i *ITS) place(icid uint64) (inside bool, index uint64) {
	if n := i.holds(); icid >= n {
		return false, icid - n
	}
	return true, icid
}

// holds is how many collections the ITS holds itself: the first ones.
func (i *ITS) holds() uint64 {
	if table(i.baser[collectionTable]).size() != 0 && !i.spec.CCT {
		return 0
	}
	return uint64(len(i.held))
}
