package graph

import (
	"maps"
	"slices"
)

// What a program does next must follow from what it has declared: the values of the loads on which it has branched, for
// an address those from which it comes, for data the same. The search relies on that: it runs threads on behind loads
// that have not read, with a guess, and takes it that nothing undeclared comes of the guess. So each request that a
// thread makes is a claim: of the same declared values always the same comes. Two requests that differ although the
// declared values are the same depend on something else, and end the exploration.
//
// Why this finds each dependency for whose sake an execution would be left out: take the shortest beginning of an
// allowed execution that is left out. It ends with what a thread does since an open load reads some value, of which the
// search has not heard when it ran the thread on with its guess. All that the write of that value needs has been
// visited; so has the graph in which that write comes and everything else is as late as it can be, which no edge
// forbids. There the load reads it, and the thread makes the other request.

// claims are requests by what they follow from.
// Invariant: both are names, which are numbers: see mix.
type claims map[uint64]uint64

// maxClaims bounds the memory of one exploration; more are compared, but not kept.
const maxClaims = 1 << 20

// agrees notes a claim. It answers false if another was made of the same.
func (x *search) agrees(of, what uint64) bool {
	if was, known := x.claimed[of]; known {
		return was == what
	}
	was, known := x.claims[of]
	if !known && len(x.claims) < maxClaims {
		if x.claims == nil {
			x.claims = claims{}
		}
		x.claims[of] = what
	}
	return !known || was == what
}

// merge adds claims. It answers false if some differ.
func (c claims) merge(list claims) bool {
	agree := true
	for _, of := range slices.Sorted(maps.Keys(list)) {
		what := list[of]
		was, known := c[of]
		if !known && len(c) < maxClaims {
			c[of] = what
		}
		agree = agree && (!known || was == what)
	}
	return agree
}

// mix adds a number to a name. In whatever a name is used, no two that can be told apart are likely to be the same.
func mix(name, v uint64) uint64 { return spread(name*golden + v) }

// nobody is the name of nothing.
const nobody uint64 = 1

// values are the name of what loads have read, in whatever order they are named.
func (h *Handle) values(s Sources) (name uint64) {
	g := h.x.current
	t := &g.threads[h.number]
	for !s.Empty() {
		l := s.pop()
		name += mix(mix(nobody, uint64(l)), g.nodes[t.loads[l]].result)
	}
	return name
}

// follows is the name of all that the present request may depend on, whatever it is.
func (h *Handle) follows() uint64 {
	if s := h.control.Or(h.looked); s != h.decided {
		h.decided, h.decision = s, h.values(s)
	}
	return mix(mix(h.name, h.decision), uint64(h.number))
}

// did adds an operation to the name of what the thread has done, but for what loads have read.
func (h *Handle) did(s step) {
	h.done = append(h.done, s)
	name := mix(h.name, uint64(s.kind))
	switch {
	case s.kind == opTake, s.kind == opFailed:
		name = mix(name, s.result)
	case s.late:
		name = mix(name, 1)
	}
	h.name, h.looked = name, Sources{}
}

// What a claim is about.
const (
	claimAccess  = iota // what is done
	claimPlace          // where
	claimOperand        // with which values
	claimCompare        // and which is expected
)

// claim makes the claims of a request. What comes from no load is claimed with the access.
func (h *Handle) claim(r *request) {
	access, where, place := r.access(), r.address, r.at
	if r.joint != nil {
		where, place = r.data, nobody
		for _, o := range r.objects {
			place = mix(place, o)
		}
	}
	if where.Empty() {
		access = mix(access, place)
	}
	if r.data.Empty() {
		access = mix(access, mix(r.operands, r.value))
	}
	if r.compare.Empty() {
		access = mix(access, r.expected)
	}
	if !h.agrees(claimAccess, Sources{}, access) || !h.follow(claimPlace, where, place) || !h.claimValues(r) {
		h.changed("", r)
	}
}

// claimValues makes those claims that a load may change which had not read before. It answers false if they were
// others.
func (h *Handle) claimValues(r *request) bool {
	return h.follow(claimOperand, r.data, mix(r.operands, r.value)) && h.follow(claimCompare, r.compare, r.expected)
}

// follow makes the claim that something follows from loads besides those declared, if there are such.
func (h *Handle) follow(about uint64, from Sources, what uint64) bool {
	return from.Empty() || h.agrees(about, from, what)
}

// agrees makes the claim that something follows from what is declared, and from some loads besides.
func (h *Handle) agrees(about uint64, from Sources, what uint64) bool {
	of := mix(h.follows(), about)
	if !from.Empty() {
		of = mix(of, h.values(from))
	}
	return h.x.agrees(of, what)
}

// access is the name of what a request is, but for its place and values.
func (r *request) access() (name uint64) {
	name = mix(mix(mix(nobody, uint64(r.kind)), uint64(r.class)), uint64(r.half))
	name = mix(mix(name, uint64(r.flags)), uint64(r.size))
	if r.fence.Completes {
		name = mix(name, 1)
	}
	return mix(mix(name, uint64(r.fence.Before)), uint64(r.fence.After))
}

// changed ends the exploration: the thread does something else than before.
func (h *Handle) changed(was string, r *request) {
	e := &ChangedError{Thread: int(h.number), Operation: h.pos, Was: was, Is: r.String()}
	if h.x.program.Changed != nil {
		h.x.program.Changed(e)
	}
	panic(e)
}
