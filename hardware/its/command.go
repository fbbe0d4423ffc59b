package its

import "github.com/hwscript/hwscript/hardware/arch/gic"

// programs are the steps of each command, by its opcode.
type programs [gic.DISCARD + 1][]step

// newPrograms is what commands do. IHI 0069, 5.3.
func newPrograms() programs {
	return programs{
		gic.MOVI: {
			(*operation).alone, (*operation).readDevice, (*operation).readEvent, (*operation).readCollection,
			(*operation).readNewCollection, (*operation).move, (*operation).moveEvent,
		},
		gic.INT: {
			(*operation).readDevice, (*operation).readEvent, (*operation).readCollection, (*operation).set,
		},
		gic.CLEAR: {
			(*operation).readDevice, (*operation).readEvent, (*operation).readCollection, (*operation).clear,
		},
		gic.SYNC: {(*operation).alone, (*operation).free, (*operation).sync},
		gic.MAPD: {(*operation).alone, (*operation).mapDevice},
		gic.MAPC: {(*operation).alone, (*operation).mapCollection},
		gic.MAPTI: {
			(*operation).alone, (*operation).readDevice, (*operation).mapEvent,
		},
		gic.MAPI: {
			(*operation).alone, (*operation).readDevice, (*operation).mapEvent,
		},
		gic.INV: {
			(*operation).readDevice, (*operation).readEvent, (*operation).readCollection, (*operation).invalidate,
		},
		gic.INVALL: {(*operation).readNewCollection, (*operation).invalidateAll},
		gic.MOVALL: {(*operation).alone, (*operation).moveAll},
		gic.DISCARD: {
			(*operation).alone, (*operation).readDevice, (*operation).readEvent, (*operation).readCollection,
			(*operation).clear, (*operation).unmapEvent,
		},
	}
}

// unknown is what all other commands do.
var unknown = []step{(*operation).refuse}

// of are the steps of a command.
func (p *programs) of(op gic.ITSOpcode) []step {
	if int(op) >= len(p) || p[op] == nil {
		return unknown
	}
	return p[op]
}

func (o *operation) refuse() demand {
	if _, known := opcodeName(o.opcode); known {
		return o.fail(virtualCommand, uint64(o.opcode))
	}
	return o.fail(unknownCommand, uint64(o.opcode))
}

// The fields of the command.
func (o *operation) device() uint64 { return gic.ITS_CMD_0_DeviceID.Get(o.words[0]) }
func (o *operation) event() uint64  { return gic.ITS_CMD_1_EventID.Get(o.words[1]) }
func (o *operation) icid() uint64   { return gic.ITS_CMD_2_ICID.Get(o.words[2]) }
func (o *operation) rdbase() uint64 { return gic.ITS_CMD_2_RDbase.Get(o.words[2]) }

// intid is that of MAPTI, or MAPI.
func (o *operation) intid() uint64 {
	if o.opcode == gic.MAPI {
		return o.event()
	}
	return gic.ITS_CMD_1_pINTID.Get(o.words[1])
}

// mapDevice is MAPD.
func (o *operation) mapDevice() demand {
	if o.phase == begun {
		size := gic.ITS_MAPD_1_Size.Get(o.words[1])
		valid := gic.ITS_MAPD_2_V.Is(o.words[2])
		if valid && size >= uint64(o.i.spec.EventBits) {
			return o.fail(sizeOutOfRange, size)
		}
		o.store, o.entry = true, 0
		if valid {
			v := gic.ITS_DTE_Size.Put(uint64(gic.ITS_DTE_Valid), size)
			o.entry = gic.ITS_DTE_ITTaddr.Put(v, gic.ITS_MAPD_2_ITTaddr.Get(o.words[2]))
		}
	}
	d := o.reach(deviceTable, o.device())
	if d == done {
		o.i.caches[deviceCache].update(o.device(), o.entry)
		o.i.caches[eventCache].forgetDevice(uint32(o.device()))
	}
	return d
}

// mapCollection is MAPC. With RDbase an address, nothing says whether it is one of a redistributor.
func (o *operation) mapCollection() demand {
	if o.phase == begun {
		valid := gic.ITS_CMD_2_V.Is(o.words[2])
		if valid && !o.i.spec.PTA && o.i.redistributor(o.rdbase()) == none {
			return o.fail(redistributorOutOfRange, o.rdbase())
		}
		o.store, o.entry = true, 0
		if valid {
			o.entry = gic.ITS_CTE_RDbase.Put(uint64(gic.ITS_CTE_Valid), o.rdbase())
		}
	}
	d := o.collection(o.icid())
	if d == done {
		o.i.caches[collectionCache].update(o.icid(), o.entry)
	}
	return d
}

// mapEvent is MAPTI and MAPI. Whether the collection is mapped does not matter yet.
func (o *operation) mapEvent() demand {
	if o.phase == begun {
		switch id := o.intid(); {
		case o.event() >= events(o.dte):
			return o.fail(eventOutOfRange, o.event())
		case id < uint64(gic.FirstLPI) || id>>o.i.spec.INTIDBits != 0:
			return o.fail(intidOutOfRange, id)
		case o.icid()>>o.i.spec.CollectionBits != 0:
			return o.fail(collectionOutOfRange, o.icid())
		default:
			o.ite = gic.ITS_ITE_pINTID.Put(uint64(gic.ITS_ITE_Valid), id)
		}
	}
	return o.moveEvent()
}

// moveEvent makes the event one of the command's collection.
func (o *operation) moveEvent() demand { return o.writeEvent(gic.ITS_ITE_ICID.Put(o.ite, o.icid())) }

func (o *operation) unmapEvent() demand { return o.writeEvent(0) }

// tell is what the redistributor of a collection is told. One that does not exist hears nothing.
func (o *operation) tell(kind orderKind, base uint64) demand {
	rd := o.i.redistributor(base)
	if rd == none {
		return o.unheard(base)
	}
	o.told = order{kind: kind, to: rd, intid: uint32(gic.ITS_ITE_pINTID.Get(o.ite))}
	return send
}

// unheard notes that a redistributor was told something that does not exist. The ITS cannot know.
func (o *operation) unheard(base uint64) demand {
	o.i.note(Event{
		At: o.i.eng.Now(), Message: o != &o.i.command, Offset: o.i.creadr, Command: o.words, Opcode: o.opcode,
		Reason: noRedistributor, About: base << gic.ITS_CMD_2_RDbase.Shift(),
	})
	return done
}

func (o *operation) set() demand { return o.tell(setLPI, gic.ITS_CTE_RDbase.Get(o.cte)) }

func (o *operation) clear() demand { return o.tell(clearLPI, gic.ITS_CTE_RDbase.Get(o.cte)) }

func (o *operation) invalidate() demand { return o.tell(invalidateLPI, gic.ITS_CTE_RDbase.Get(o.cte)) }

func (o *operation) invalidateAll() demand {
	return o.tell(invalidateAll, gic.ITS_CTE_RDbase.Get(o.to))
}

// move is the pending state going from the event's redistributor to that of its new collection.
func (o *operation) move() demand {
	return o.carry(moveLPI, gic.ITS_CTE_RDbase.Get(o.cte), gic.ITS_CTE_RDbase.Get(o.to))
}

// moveAll is MOVALL.
func (o *operation) moveAll() demand {
	from, to := o.rdbase(), gic.ITS_CMD_3_RDbase2.Get(o.words[3])
	for _, base := range [...]uint64{from, to} {
		if !o.i.spec.PTA && o.i.redistributor(base) == none {
			return o.fail(redistributorOutOfRange, base)
		}
	}
	return o.carry(moveAll, from, to)
}

// carry makes one redistributor give another what is pending.
func (o *operation) carry(kind orderKind, from, to uint64) demand {
	if o.phase == asked || from == to {
		return done
	}
	for _, base := range [...]uint64{from, to} {
		if o.i.redistributor(base) == none {
			return o.unheard(base)
		}
	}
	d := o.tell(kind, from)
	o.told.other = o.i.redistributor(to)
	if d == send {
		return wait
	}
	return d
}

// sync is SYNC: the answer comes when the redistributor has done what it was told before. One that does not exist never
// answers.
func (o *operation) sync() demand {
	if o.phase == asked {
		return done
	}
	if o.i.redistributor(o.rdbase()) == none {
		if !o.i.spec.PTA {
			return o.fail(redistributorOutOfRange, o.rdbase())
		}
		o.unheard(o.rdbase())
		return pause
	}
	o.tell(syncLPIs, o.rdbase())
	return wait
}
