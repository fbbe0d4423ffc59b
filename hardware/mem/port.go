package mem

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Port is how a master that is no CPU reaches memory, and devices. It has a place but no cache: what it reads it does
// not keep, and what it writes stands in memory.
//
// A transaction that snoops ([bus.Attr]) is coherent: it reads the newest value, and its write takes all copies away,
// clears exclusive monitors and wakes who waits for the line. One that does not sees memory behind the caches: it reads
// what was last written back, and copies that caches hold do not show what it writes.
type Port struct {
	m       *Memory
	devices *bus.Map
	master  *bus.Master
	id      int16 // of its place
}

// NewPort connects a master. devices answer what is not RAM, and may be nil.
func (m *Memory) NewPort(master *bus.Master, place Place, devices *bus.Map) *Port {
	m.places = append(m.places[:len(m.places):len(m.places)], place)
	p := &Port{m: m, devices: devices, master: master, id: int16(len(m.places) - 1)}
	m.masters = append(m.masters, master)
	return p
}

// Masters are the masters that are no CPUs, in the order in which they were connected.
func (m *Memory) Masters() []*bus.Master { return m.masters }

// Transact is bus.Target. The transaction must stay within a line, and an atomic be aligned to its size of 1, 2, 4 or 8
// bytes; an atomic has to snoop.
func (p *Port) Transact(t *bus.Transaction) bus.Answer {
	addr, size := uint64(t.Addr), uint64(t.Len)
	a := bus.Answer{Done: t.At}
	switch {
	case size == 0 || size > bus.MaxLength:
		panic("BUG: a transaction of no length, or a longer one than a line, by " + p.master.Name)
	case !p.m.Contains(addr, size):
		if p.devices != nil {
			return p.devices.Transact(t)
		}
		a.Fault = bus.Unmapped
		return a
	case addr%LineSize+size > LineSize:
		a.Fault = bus.Misaligned
		return a
	}
	l := p.m.line(addr)
	p.m.settle(l, t.At)
	switch {
	case t.Op == bus.ReadModify:
		return p.modify(l, t)
	case t.Op == bus.Clean || t.Op == bus.CleanDiscard:
		out := p.m.Clean(int(p.id), addr, t.Op == bus.CleanDiscard, t.At, 0)
		return bus.Answer{Done: out.Done, Served: bus.ByMemory}
	case !t.Attr.Snoops():
		return p.behind(l, t)
	case t.Op == bus.Write:
		done, served := p.obtain(l, t)
		p.deliver(l, t, done)
		return bus.Answer{Done: done, Served: served}
	}
	return p.read(l, t)
}

// served says who gives a line that comes over a distance.
func served(d Distance) bus.Served {
	switch d {
	case DRAM:
		return bus.ByMemory
	case SystemCache:
		return bus.BySystemCache
	}
	return bus.ByCache
}

// read is a coherent read: behind the writes in flight, from the nearest holder.
func (p *Port) read(l *line, t *bus.Transaction) bus.Answer {
	nearest := p.m.reach(l, uint64(t.Addr), p.id, t.Attr.Outer)
	done := p.m.serve(l, max(t.At, l.busy)) + p.m.transfer(l, uint64(t.Addr), nearest)
	l.reading = max(l.reading, done)
	var words [lineWords]uint64
	for i := range words {
		words[i] = l.latest(uint(i))
	}
	extract(t, &words)
	return bus.Answer{Done: done, Served: served(nearest.distance())}
}

// obtain is when the last copy has been taken away.
func (p *Port) obtain(l *line, t *bus.Transaction) (sim.Time, bus.Served) {
	done, farthest := p.m.obtain(l, uint64(t.Addr), p.id, t.Attr.Outer, t.At, 0)
	p.m.keep(l, uint64(t.Addr), p.id, t.Attr.Outer, t.Len)
	return done, served(farthest.distance())
}

// deliver puts a write into what is in flight.
func (p *Port) deliver(l *line, t *bus.Transaction, at sim.Time) {
	begin := uint(t.Addr % LineSize)
	for word := begin / 8; word <= (begin+uint(t.Len)-1)/8; word++ {
		mask, value := insert(t, word)
		l.version++
		l.change(delivered, at, p.id, word, mask, value)
	}
	if l.watcher != unwatched {
		p.m.wakeAll(l, at)
	}
}

// modify is an atomic where the system orders accesses. A compare-and-swap that fails is a read.
func (p *Port) modify(l *line, t *bus.Transaction) bus.Answer {
	addr := uint64(t.Addr)
	switch {
	case t.Len > 8 || t.Len&(t.Len-1) != 0 || addr%uint64(t.Len) != 0:
		return bus.Answer{Done: t.At, Fault: bus.Misaligned}
	case !t.Attr.Snoops():
		return bus.Answer{Done: t.At, Fault: bus.Refused}
	}
	word, shift, mask := field(addr, t.Len)
	old := l.latest(word) >> shift & mask
	updated, writes := t.Atomic.Apply(old, t.Data[0]&mask, t.Compare&mask)
	if !writes {
		return p.read(l, t)
	}
	t.Data[0] = updated
	done, from := p.obtain(l, t)
	p.deliver(l, t, done)
	t.Data[0] = old
	return bus.Answer{Done: done, Served: from}
}

// behind is an access to memory behind the caches, at once.
func (p *Port) behind(l *line, t *bus.Transaction) bus.Answer {
	policy := t.Attr.Outer
	if t.Op == bus.Write {
		policy &^= bus.ReadAllocate
	}
	way := p.m.lookUp(l, uint64(t.Addr), p.id, policy)
	a := bus.Answer{Done: t.At + p.m.transfer(l, uint64(t.Addr), way), Served: served(way.distance())}
	words := &l.data
	if l.dirty || l.stale {
		words = &l.behind
	}
	if t.Op == bus.Read {
		extract(t, words)
		return a
	}
	p.m.keep(l, uint64(t.Addr), p.id, t.Attr.Outer, t.Len)
	if words == &l.data && !l.holders.empty() {
		l.behind, l.stale = l.data, true
		words = &l.behind
	}
	for word := range uint(lineWords) {
		mask, value := insert(t, word)
		words[word] = words[word]&^mask | value
	}
	return a
}

// extract takes a transaction's bytes out of a line.
func extract(t *bus.Transaction, words *[lineWords]uint64) {
	first, shift := int(t.Addr%LineSize/8), uint(t.Addr%8*8)
	for i := range (int(t.Len) + 7) / 8 {
		v := words[first+i] >> shift
		if shift != 0 && first+i+1 < lineWords {
			v |= words[first+i+1] << (64 - shift)
		}
		if left := uint(t.Len) - uint(8*i); left < 8 {
			v &= 1<<(8*left) - 1
		}
		t.Data[i] = v
	}
}

// insert is what a transaction writes to a word of its line.
func insert(t *bus.Transaction, word uint) (mask, value uint64) {
	for i := range uint8(8) {
		at := 8*uint64(word) + uint64(i)
		if begin := uint64(t.Addr % LineSize); at >= begin && at < begin+uint64(t.Len) {
			n := at - begin
			mask |= 0xff << (8 * i)
			value |= t.Data[n/8] >> (n % 8 * 8) & 0xff << (8 * i)
		}
	}
	return mask, value
}
