package plain

import "math/bits"

// eventsMax bounds the events of one candidate: a row of a relation is one word.
const eventsMax = 64

// set is a set of events.
type set uint64

func (s set) has(e int) bool { return s>>e&1 != 0 }

// relation is a boolean matrix: bit j of row i says that i is related to j.
type relation struct {
	row [eventsMax]set
}

func (r *relation) add(from, to int) { r.row[from] |= 1 << to }

func (r *relation) has(from, to int) bool { return r.row[from].has(to) }

// in is the identity on a set, written [S] in the cat files.
func in(s set) *relation {
	r := &relation{}
	for e := range r.row {
		r.row[e] = s & (1 << e)
	}
	return r
}

// seq composes relations from left to right, written r;s in the cat files.
func seq(parts ...*relation) *relation {
	r := *parts[0]
	for _, next := range parts[1:] {
		var composed relation
		for e := range r.row {
			for rest := r.row[e]; rest != 0; rest &= rest - 1 {
				composed.row[e] |= next.row[bits.TrailingZeros64(uint64(rest))]
			}
		}
		r = composed
	}
	return &r
}

// union is written r | s in the cat files.
func union(parts ...*relation) *relation {
	r := *parts[0]
	for _, next := range parts[1:] {
		for e := range r.row {
			r.row[e] |= next.row[e]
		}
	}
	return &r
}

// minus is written r \ s in the cat files.
func minus(r, s *relation) *relation {
	var out relation
	for e := range out.row {
		out.row[e] = r.row[e] &^ s.row[e]
	}
	return &out
}

// acyclic takes the transitive closure of the first n events and looks for one that comes before itself.
func acyclic(r *relation, n int) bool {
	closed := *r
	for k := range n {
		for i := range n {
			if closed.has(i, k) {
				closed.row[i] |= closed.row[k]
			}
		}
	}
	for i := range n {
		if closed.has(i, i) {
			return false
		}
	}
	return true
}
