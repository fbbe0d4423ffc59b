package sim

// A slot is a posted event. Slots live in one slab and are linked twice: into the bucket of their time, and into
// their channel.
type slot struct {
	at      Time
	arg     uint64
	handler Handler
	channel *Channel

	bucketNext, bucketPrev   int32
	channelNext, channelPrev int32
	bucket                   int32
	generation               uint32
}

// A bucket holds events of one time in posting order. Several buckets may share a time: then all events of the one
// were posted before all of the other, so that ordering buckets by (time, first sequence) orders the events.
type bucket struct {
	at         Time
	head, tail int32
}

// A node of the heap is a bucket of messages or the next step of a program.
type node struct {
	at  Time
	seq uint64
	ref int32 // >= 0: a bucket; < 0: the program with number ^ref
}

const none = int32(-1)

// programSeq is the first sequence number of programs: above every message's, see "Total order" in the package comment.
const programSeq = uint64(1) << 63

// queue is the timed order of events: the earliest moment, a 4-ary heap of the later ones, and first-in-first-out
// buckets. Events that fall on one tick, the usual case for devices with round latencies, cost no heap operation, and
// neither does the next step of the one program that waits.
type queue struct {
	first   node // before all of the heap
	any     bool // there is a first
	heap    []node
	slots   []slot
	free    int32 // freed slots, linked through bucketNext
	buckets []bucket
	spare   []int32 // freed buckets
	latest  int32   // the bucket that grew last, none if it was taken off the heap
	seq     uint64  // sequence of the newest message

	horizon Time // no event fires before; a program at or behind it has to look
	pinned  bool // the horizon is 0: every program has to look
}

func (q *queue) init() {
	q.free, q.latest = none, none
	q.look()
}

// look sets the horizon after the heap has changed.
func (q *queue) look() {
	switch {
	case q.pinned:
		q.horizon = 0
	case !q.any:
		q.horizon = EndOfTime
	default:
		q.horizon = min(q.first.at, EndOfTime)
	}
}

// pin makes every program look at its next step, or no longer.
func (q *queue) pin(on bool) {
	q.pinned = on
	q.look()
}

// before reports whether a node is before another, of which the numbers are given: so that stays in registers.
func (n *node) before(at Time, seq uint64) bool { return n.at < at || n.at == at && n.seq < seq }

// push puts a node in.
func (q *queue) push(n node) {
	switch {
	case !q.any:
		q.first, q.any = n, true
	case n.before(q.first.at, q.first.seq):
		q.siftUp(q.first)
		q.first = n
	default:
		q.siftUp(n)
		return // the first stays
	}
	q.look()
}

// siftUp puts a node into the heap.
func (q *queue) siftUp(n node) {
	q.heap = append(q.heap, n)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if h[parent].before(n.at, n.seq) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = n
}

// popFirst removes the first node.
func (q *queue) popFirst() {
	last := len(q.heap) - 1
	if last < 0 {
		q.any = false
		q.look()
		return
	}
	q.first = q.heap[0]
	n := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		q.siftDown(n)
	}
	q.look()
}

// replaceFirst puts a node in where the first is taken out.
func (q *queue) replaceFirst(n node) {
	if len(q.heap) == 0 || n.before(q.heap[0].at, q.heap[0].seq) {
		q.first = n
	} else {
		q.first = q.heap[0]
		q.siftDown(n)
	}
	q.look()
}

// siftDown puts a node into the hole at the top.
func (q *queue) siftDown(n node) {
	h := q.heap
	i, first := 0, 1
	for first < len(h) {
		least := first
		if first+4 <= len(h) {
			least += leastOf((*[4]node)(h[first:]))
		} else {
			for c := first + 1; c < len(h); c++ {
				if h[c].before(h[least].at, h[least].seq) {
					least = c
				}
			}
		}
		if !h[least].before(n.at, n.seq) {
			break
		}
		h[i] = h[least]
		i, first = least, 4*least+1
	}
	h[i] = n
}

// leastOf is the place of the first of four nodes.
func leastOf(n *[4]node) int {
	low, high := 0, 2
	if n[1].before(n[0].at, n[0].seq) {
		low = 1
	}
	if n[3].before(n[2].at, n[2].seq) {
		high = 3
	}
	if n[high].before(n[low].at, n[low].seq) {
		return high
	}
	return low
}

// newSlot takes a slot from the free list, growing the slab only until it has met the largest number of events
// pending at once.
func (q *queue) newSlot() int32 {
	if q.free == none {
		q.slots = append(q.slots, slot{})
		return int32(len(q.slots) - 1)
	}
	s := q.free
	q.free = q.slots[s].bucketNext
	return s
}

func (q *queue) release(s int32) {
	sl := &q.slots[s]
	sl.generation++
	sl.handler = nil
	sl.channel = nil
	sl.bucketNext = q.free
	q.free = s
}

// enqueue appends slot s to the bucket of its time.
func (q *queue) enqueue(s int32, at Time) {
	sl := &q.slots[s]
	sl.at = at
	sl.bucketNext = none
	if q.latest != none && q.buckets[q.latest].at == at {
		b := &q.buckets[q.latest]
		sl.bucket, sl.bucketPrev = q.latest, b.tail
		if b.tail == none {
			b.head = s
		} else {
			q.slots[b.tail].bucketNext = s
		}
		b.tail = s
		return
	}
	q.seq++
	if q.any && q.first.ref >= 0 && q.buckets[q.first.ref].head == none {
		// The bucket of the event that is firing was emptied: an event that causes another moves its node, which is
		// half the work of a removal and an insertion.
		b := q.first.ref
		q.open(b, s, at)
		q.replaceFirst(node{at: at, seq: q.seq, ref: b})
		return
	}
	b := int32(len(q.buckets))
	if n := len(q.spare); n > 0 {
		b = q.spare[n-1]
		q.spare = q.spare[:n-1]
	} else {
		q.buckets = append(q.buckets, bucket{})
	}
	q.open(b, s, at)
	q.push(node{at: at, seq: q.seq, ref: b})
}

// open makes slot s the first of bucket b.
func (q *queue) open(b, s int32, at Time) {
	q.buckets[b] = bucket{at: at, head: s, tail: s}
	q.slots[s].bucket, q.slots[s].bucketPrev = b, none
	q.latest = b
}

// unlink takes slot s out of its bucket. An emptied bucket stays in the queue until it comes first.
func (q *queue) unlink(s int32) {
	sl := &q.slots[s]
	b := &q.buckets[sl.bucket]
	if sl.bucketPrev == none {
		b.head = sl.bucketNext
	} else {
		q.slots[sl.bucketPrev].bucketNext = sl.bucketNext
	}
	if sl.bucketNext == none {
		b.tail = sl.bucketPrev
	} else {
		q.slots[sl.bucketNext].bucketPrev = sl.bucketPrev
	}
}

// dropFirst removes the emptied bucket that is first.
func (q *queue) dropFirst() {
	b := q.first.ref
	if q.latest == b {
		q.latest = none
	}
	q.spare = append(q.spare, b)
	q.popFirst()
}
