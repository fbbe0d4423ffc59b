package opensbi

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// The words of an entry.
const (
	kindWord = 8 * iota // kind, and the ASID above it
	startWord
	sizeWord
	sendersWord
)

const asidShift = 8

// acquire and release are the lock of a queue.
func acquire(c *cpu.CPU, h *hart) {
	for c.Atomic(h.lock, 8, bus.Swap, 1, 0, bus.Acquire) != 0 {
		c.Wait(h.lock, 8, bus.Plain, func(v uint64) bool { return v == 0 }, cpu.Forever)
	}
}

func release(c *cpu.CPU, h *hart) { c.Store(h.lock, 8, 0, bus.Release) }

func (f *Firmware) entry(h *hart, n int) uint64 {
	return h.queue + uint64((h.first+n)%f.spec.Queue)*mem.LineSize
}

// put puts a fence into a hart's queue, or into an entry that contains it or that it contains; false if the queue is
// full. sbi_fifo_inplace_update, sbi_fifo_enqueue.
func (f *Firmware) put(c *cpu.CPU, to *hart, r *fence) bool {
	acquire(c, to)
	defer release(c, to)
	for n := range to.used {
		if f.join(c, f.entry(to, n), r) {
			return true
		}
	}
	if to.used == f.spec.Queue {
		return false
	}
	at := f.entry(to, to.used)
	c.Store(at+kindWord, 8, uint64(r.kind)|r.asid<<asidShift, bus.Plain)
	c.Store(at+startWord, 8, r.start, bus.Plain)
	c.Store(at+sizeWord, 8, r.size, bus.Plain)
	c.Store(at+sendersWord, 8, r.senders, bus.Plain)
	to.used++
	c.Atomic(to.sync, 8, bus.Add, queuedOne, 0, bus.Release)
	return true
}

// join makes one fence of two, of which one contains the other: of the same kind and space, and not of instructions.
// sbi_tlb_update_cb, tlb_range_check.
func (f *Firmware) join(c *cpu.CPU, at uint64, r *fence) bool {
	if r.kind == instructions || c.Load(at+kindWord, 8, bus.Plain) != uint64(r.kind)|r.asid<<asidShift {
		return false
	}
	start, size := c.Load(at+startWord, 8, bus.Plain), c.Load(at+sizeWord, 8, bus.Plain)
	end, other := start+size, r.start+r.size
	switch {
	case r.start <= start && other > end:
		c.Store(at+startWord, 8, r.start, bus.Plain)
		c.Store(at+sizeWord, 8, r.size, bus.Plain)
	case r.start < start || other > end:
		return false
	}
	c.Store(at+sendersWord, 8, c.Load(at+sendersWord, 8, bus.Plain)|r.senders, bus.Plain)
	return true
}

// take takes the oldest fence out of a hart's own queue. sbi_fifo_dequeue.
func (f *Firmware) take(h *hart) (r fence, ok bool) {
	c := h.cpu
	acquire(c, h)
	defer release(c, h)
	if h.used == 0 {
		return r, false
	}
	at := f.entry(h, 0)
	word := c.Load(at+kindWord, 8, bus.Plain)
	r = fence{
		kind: kind(word & (1<<asidShift - 1)), asid: word >> asidShift,
		start: c.Load(at+startWord, 8, bus.Plain), size: c.Load(at+sizeWord, 8, bus.Plain),
		senders: c.Load(at+sendersWord, 8, bus.Plain),
	}
	h.first, h.used = (h.first+1)%f.spec.Queue, h.used-1
	c.Atomic(h.sync, 8, bus.Add, ^uint64(queuedOne)+1, 0, bus.AcquireRelease)
	return r, true
}
