package linux

import "maps"

// A Checkpoint is what running programs change in the kernel beside simulated memory.
type Checkpoint struct {
	options Options
	irqs    map[int]Func
	late    late
	percpu  []percpuCheckpoint
}

type percpuCheckpoint struct {
	counts Counts
	frames []csd
	data   csd
	funcs  []Func
}

// Save takes a checkpoint.
func (k *Kernel) Save() *Checkpoint {
	k.chip.Save()
	c := &Checkpoint{options: k.Options, irqs: maps.Clone(k.irqs), late: k.late.clone()}
	for i := range k.percpu {
		p := &k.percpu[i]
		c.percpu = append(c.percpu, percpuCheckpoint{
			p.counts, append([]csd(nil), p.frames...), p.data, append([]Func(nil), p.funcs...),
		})
	}
	return c
}

// Restore puts the kernel back to where it was saved.
func (k *Kernel) Restore(c *Checkpoint) {
	k.chip.Restore()
	k.Options, k.late = c.options, c.late.clone()
	if k.irqs != nil {
		k.irqs = maps.Clone(c.irqs)
	}
	for i := range k.percpu {
		k.RestoreCPU(c, i)
	}
}

// RestoreCPU does that for what only one CPU uses.
func (k *Kernel) RestoreCPU(c *Checkpoint, cpu int) {
	p, s := &k.percpu[cpu], &c.percpu[cpu]
	p.counts, p.data, p.depth = s.counts, s.data, 0
	p.frames, p.funcs = append(p.frames[:0], s.frames...), append(p.funcs[:0], s.funcs...)
}
