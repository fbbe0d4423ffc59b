package graph

import "slices"

// place is a location: bytes of memory that every access so far has touched together, or an object.
type place struct {
	at      uint64
	size    uint8
	initial uint64
}

func (p *place) end() uint64 { return p.at + uint64(p.size) }

// places numbers locations in the order in which they are met. When an access touches only part of one, the table is
// cut and the exploration begins again.
type places struct {
	list  []place
	index map[uint64]int16 // by the address of their first byte
	owner map[uint64]int16 // by every byte
	cuts  []uint64         // addresses at which a location must end, in order
}

func newPlaces() *places {
	return &places{index: map[uint64]int16{}, owner: map[uint64]int16{}}
}

func (p *places) start(location int16) uint64 { return p.list[location].at }

func (p *places) mask(location int16) uint64 { return 1<<(8*uint(p.list[location].size)) - 1 }

// clear forgets the locations but not where they are cut.
func (p *places) clear() {
	p.list = p.list[:0]
	clear(p.index)
	clear(p.owner)
}

// find answers the locations of an access, and where in its value each begins. It answers false if a location has been
// cut: what was found before is void. Where the access is divided is a cut, too: it was met before as two locations,
// and who repeats an execution may meet it first.
func (p *places) find(at uint64, size uint8, initial func(uint64, uint8) uint64, found []int16, shifts []uint8) (
	[]int16, []uint8, bool) {
	end := at + uint64(size)
	for a := at; a < end; {
		if a > at {
			p.cut(a)
		}
		l, known := p.index[a]
		if !known {
			if _, inside := p.owner[a]; inside {
				p.cut(a)
				return nil, nil, false
			}
			n := a + 1
			for _, taken := p.owner[n]; n < end && !taken && !p.ends(n); _, taken = p.owner[n] {
				n++
			}
			l = p.add(a, uint8(n-a), initial)
		}
		found, shifts = append(found, l), append(shifts, uint8(8*(a-at)))
		if a += uint64(p.list[l].size); a > end {
			p.cut(end)
			return nil, nil, false
		}
	}
	return found, shifts, true
}

// cut makes locations end at an address.
func (p *places) cut(at uint64) {
	if i, found := slices.BinarySearch(p.cuts, at); !found {
		p.cuts = slices.Insert(p.cuts, i, at)
	}
}

// ends reports whether they do.
func (p *places) ends(at uint64) bool {
	_, found := slices.BinarySearch(p.cuts, at)
	return found
}

func (p *places) add(at uint64, size uint8, initial func(uint64, uint8) uint64) int16 {
	l := int16(len(p.list))
	q := place{at: at, size: size}
	if initial != nil {
		q.initial = initial(at, size)
	}
	p.list = append(p.list, q)
	p.index[at] = l
	for i := range uint64(size) {
		p.owner[at+i] = l
	}
	return l
}
