package mem

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
)

// SystemCacheSpec describes the cache that stands before the memory of each node.
type SystemCacheSpec struct {
	Size     uint64 // bytes on each node, 0 for none
	Ways     int
	LineSize uint64 // 64 or 128 bytes
	// WholeLines: a write of part of a line does not allocate, whatever its hint. One that hits is kept.
	WholeLines bool
}

func (s *SystemCacheSpec) validate() error {
	switch {
	case s.Size == 0:
		return nil
	case s.LineSize != LineSize && s.LineSize != 2*LineSize:
		return fmt.Errorf("system cache with lines of %d bytes: expected 64 or 128", s.LineSize)
	case s.Ways < 1 || s.Ways > maxWays:
		return fmt.Errorf("system cache of %d ways: expected 1 to %d", s.Ways, maxWays)
	case s.Size%(uint64(s.Ways)*s.LineSize) != 0 || s.Size > maxCache:
		return fmt.Errorf("system cache of %d bytes: expected a multiple of %d ways of %d bytes, up to 1 GiB", s.Size,
			s.Ways, s.LineSize)
	}
	return nil
}

const (
	maxWays  = 64
	maxCache = 1 << 30
)

// A systemCache holds tags: what it has is what memory has, so that it changes the time of an access and never its
// value. Every cacheable access that finds no copy in the caches of the CPUs looks a line up; it is put there by the
// accesses that ask for it.
type systemCache struct {
	spec  SystemCacheSpec
	sets  uint64
	nodes [][]*systemPage
}

// A systemPage is sets next to one another, which are made when one of them is used.
type systemPage [setsOfPage]systemSet

const setsOfPage = 64

// A systemSet is the ways of a set, the one that was used last first; nil until it is used.
type systemSet []systemTag

type systemTag struct {
	line uint64 // number of the cache's line
	by   int16  // who put it there, of two halves the later one: a place
	has  uint8  // which of its 64 bytes, a bit each; 0 for a free way
}

func newSystemCache(s SystemCacheSpec) *systemCache {
	if s.Size == 0 {
		return nil
	}
	return &systemCache{spec: s, sets: s.Size / (s.LineSize * uint64(s.Ways))}
}

// set is the set of an address on a node.
func (s *systemCache) set(node int, addr uint64) systemSet {
	for len(s.nodes) <= node {
		s.nodes = append(s.nodes, make([]*systemPage, (s.sets+setsOfPage-1)/setsOfPage))
	}
	n := addr / s.spec.LineSize % s.sets
	page := &s.nodes[node][n/setsOfPage]
	if *page == nil {
		*page = new(systemPage)
	}
	set := &(*page)[n%setsOfPage]
	if *set == nil {
		*set = make(systemSet, s.spec.Ways)
	}
	return *set
}

// find is the way of a line in its set, -1 if it is not there.
func (t systemSet) find(line uint64) int {
	for i := range t {
		if t[i].has != 0 && t[i].line == line {
			return i
		}
	}
	return -1
}

// free is a way that is not in use, -1 if there is none.
func (t systemSet) free() int {
	for i := range t {
		if t[i].has == 0 {
			return i
		}
	}
	return -1
}

// use makes a way the one that was used last.
func (t systemSet) use(way int) {
	tag := t[way]
	copy(t[1:way+1], t[:way])
	t[0] = tag
}

// half is the bit of an address in systemTag.has.
func (s *systemCache) half(addr uint64) uint8 { return 1 << (addr % s.spec.LineSize / LineSize) }

// look reports whether the cache has a line.
func (s *systemCache) look(node int, addr uint64) bool {
	set := s.set(node, addr)
	way := set.find(addr / s.spec.LineSize)
	if way < 0 || set[way].has&s.half(addr) == 0 {
		return false
	}
	set.use(way)
	return true
}

// fill puts 64 bytes of a line there, in place of the line that was used longest ago.
func (s *systemCache) fill(node int, addr uint64, by int16) {
	set, line := s.set(node, addr), addr/s.spec.LineSize
	way := set.find(line)
	if way < 0 {
		if way = set.free(); way < 0 {
			way = len(set) - 1
		}
		set[way] = systemTag{line: line, by: by}
	}
	if half := s.half(addr); set[way].has&half == 0 {
		set[way].has |= half
		set[way].by = by
	}
	set.use(way)
}

// drop takes 64 bytes out.
func (s *systemCache) drop(node int, addr uint64) {
	set := s.set(node, addr)
	if way := set.find(addr / s.spec.LineSize); way >= 0 {
		set[way].has &^= s.half(addr)
	}
}

// lookUp is the way of a line that no CPU holds to a master, which reads it with a cache policy, and keeps what it read
// in the system cache if the policy says so: of a line of 128 bytes both halves, if nobody holds the other one either.
func (m *Memory) lookUp(l *line, addr uint64, c int16, policy bus.Cacheability) way {
	toHome := m.places[c].leg(&l.home)
	if m.system == nil || !policy.Cacheable() {
		return m.ways.fetch(toHome)
	}
	node := int(l.home.Die)
	if m.system.look(node, addr) {
		return m.ways.fetchCached(toHome)
	}
	if policy&bus.ReadAllocate != 0 {
		m.fill(l, addr, c)
		if other := addr ^ LineSize; m.system.spec.LineSize > LineSize {
			if o := m.line(other); m.rests(o, c, &l.home) {
				m.fill(o, other, c)
			}
		}
	}
	return m.ways.fetch(toHome)
}

// fill puts a line into the system cache.
func (m *Memory) fill(l *line, addr uint64, c int16) {
	m.system.fill(int(l.home.Die), addr, c)
	l.cached = true
}

// reach is the nearest way of the line of an address to a master that reads it with a cache policy.
func (m *Memory) reach(l *line, addr uint64, c int16, policy bus.Cacheability) way {
	nearest, _ := m.ahead(l, c)
	if nearest.distance() == DRAM {
		return m.lookUp(l, addr, c, policy)
	}
	return nearest
}

// cpuPolicy is that of the CPUs' accesses.
const cpuPolicy = bus.WriteBack | bus.ReadAllocate | bus.WriteAllocate

// rests reports whether no CPU holds a line, or will, and its home is the given one.
func (m *Memory) rests(l *line, c int16, home *Place) bool {
	if l.home != *home {
		return false
	}
	nearest, _ := m.ahead(l, c)
	return nearest.distance() == DRAM
}

// keep puts what a master has written, some bytes, into the system cache if its policy says so, or the line is there
// already; otherwise the line is in memory alone.
func (m *Memory) keep(l *line, addr uint64, c int16, policy bus.Cacheability, bytes uint8) {
	if m.system == nil {
		return
	}
	there := l.cached && m.system.look(int(l.home.Die), addr)
	allocates := policy&bus.WriteAllocate != 0 && (bytes == LineSize || !m.system.spec.WholeLines)
	if policy.Cacheable() && (allocates || there) {
		m.fill(l, addr, c)
	} else {
		m.forget(l, addr)
	}
}

// forget takes the line of an address out of the system cache.
func (m *Memory) forget(l *line, addr uint64) {
	if l.cached {
		m.system.drop(int(l.home.Die), addr)
		l.cached = false
	}
}

// taken notes that a CPU has taken a line from all others, if it did not have it.
func (m *Memory) taken(l *line, addr uint64, w way) {
	if w != here {
		m.forget(l, addr)
	}
}

// SystemCached is who put the line of an address into the system cache, "" if it is not there.
func (m *Memory) SystemCached(addr uint64) string {
	if m.system == nil {
		return ""
	}
	set := m.system.set(m.Node(addr), addr)
	way := set.find(addr / m.system.spec.LineSize)
	if way < 0 || set[way].has&m.system.half(addr) == 0 {
		return ""
	}
	by := int(set[way].by)
	if n := len(m.watchers); by >= n {
		return m.masters[by-n].Name
	}
	return fmt.Sprintf("CPU%d", by)
}
