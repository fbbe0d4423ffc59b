package linux

import "maps"

// A Checkpoint is what running programs change in the kernel beside simulated memory.
type Checkpoint struct {
	options Options
	ops     Ops
	irqs    map[int]Func
	counts  []Counts
	frames  []int // csds on each CPU's stack
	online  CPUMask
	funcs   []Func
	free    []uint64
}

// Save takes a checkpoint.
func (k *Kernel) Save() *Checkpoint {
	c := &Checkpoint{
		options: k.Options, ops: k.Ops, irqs: maps.Clone(k.irqs),
		online: append(CPUMask(nil), k.online...), funcs: append([]Func(nil), k.funcs...),
		free: append([]uint64(nil), k.free...),
	}
	for i := range k.percpu {
		c.counts = append(c.counts, k.percpu[i].counts)
		c.frames = append(c.frames, len(k.percpu[i].frames))
	}
	return c
}

// Restore puts the kernel back to where it was saved.
func (k *Kernel) Restore(c *Checkpoint) {
	k.Options, k.Ops = c.options, c.ops
	if k.irqs != nil {
		k.irqs = maps.Clone(c.irqs)
	}
	copy(k.online, c.online)
	k.funcs = append(k.funcs[:0], c.funcs...)
	k.free = append(k.free[:0], c.free...)
	for i := range k.percpu {
		p := &k.percpu[i]
		p.counts, p.frames, p.depth = c.counts[i], p.frames[:c.frames[i]], 0
	}
}
