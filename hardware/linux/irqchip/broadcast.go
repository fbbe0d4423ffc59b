package irqchip

import (
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// broadcast sends to a mask by one write with IRM where its variant finds that IRM reaches the mask; false if it does
// not. IRM reaches every PE that the interrupt controller has but the sender, whatever the kernel knows of it.
func (g *GICv3) broadcast(c *cpu.CPU, intid int, mask linux.CPUMask) bool {
	var all, self bool
	switch g.Options.SGIBroadcast {
	case BroadcastV1:
		all = g.allPresent(c, mask)
	case BroadcastReview:
		all, self = g.weighsReview(c, mask)
	case BroadcastV2:
		all, self = g.weighsV2(c, mask)
	default:
		all, self = g.reachesExactly(c, mask)
	}
	if !all {
		return false
	}
	w := gic.ICC_SGI1R_EL1_INTID.Put(uint64(gic.ICC_SGI1R_EL1_IRM), uint64(intid))
	g.SendSGI(c, w)
	if self {
		own := &g.percpu[c.ID].sgi
		g.SendSGI(c, own.cluster|own.bit|gic.ICC_SGI1R_EL1_INTID.Put(0, uint64(intid)))
	}
	return true
}

// pass is the time of one pass over some words of a mask.
func (g *GICv3) pass(c *cpu.CPU, words int) { c.Delay(g.cost.maskWord * sim.Time(words)) }

// weight is cpumask_weight of a mask at hand.
func (g *GICv3) weight(c *cpu.CPU, mask linux.CPUMask) int {
	g.pass(c, len(mask))
	return mask.Weight()
}

// allPresent is v1: cpu_present_mask is copied, the own CPU cleared in the copy, and the copy compared with the mask.
func (g *GICv3) allPresent(c *cpu.CPU, mask linux.CPUMask) bool {
	equal := true
	for i := range mask {
		word := g.kernel.ReadMaskWord(c, linux.CPUPresentMask, 64*i) // cpumask_copy
		if i == c.ID/64 {
			word &^= 1 << (c.ID % 64)
		}
		equal = equal && word == mask[i]
		c.Branch(c.Loaded())
	}
	g.pass(c, len(mask))
	g.pass(c, 1)         // cpumask_clear_cpu
	g.pass(c, len(mask)) // cpumask_equal
	return equal
}

// weighsReview is the sketch of the review: it compares the weight of the mask with that of cpu_online_mask.
func (g *GICv3) weighsReview(c *cpu.CPU, mask linux.CPUMask) (all, self bool) {
	count, online := g.weight(c, mask), 0
	for i := range mask {
		online += mathbits.OnesCount64(g.kernel.ReadMaskWord(c, linux.CPUOnlineMask, 64*i))
		c.Branch(c.Loaded())
	}
	g.pass(c, len(mask))
	switch {
	case count == online:
		return true, true // whether the own CPU is in the mask or not
	case count == online-1 && !mask.Has(c.ID):
		return true, false
	}
	return false, false
}

// weighsV2 is v2: it compares the weight of the mask with the counter of the CPUs that are online.
func (g *GICv3) weighsV2(c *cpu.CPU, mask linux.CPUMask) (all, self bool) {
	count, self := g.weight(c, mask), mask.Has(c.ID)
	if !self {
		count++
	}
	online := g.kernel.NumOnlineCPUs(c)
	c.Branch(c.Loaded())
	return count == online, self
}

// reachesExactly is our own: it broadcasts if the mask, with the sender, has as many CPUs as there are redistributors.
// The mask is all that it looks at, so that no CPU that comes or goes meanwhile can make it err, and a target that is
// alone is mostly found out at the first word. What it promises is as good as the firmware's list of redistributors: a
// PE that is wired and not listed is hit as well.
func (g *GICv3) reachesExactly(c *cpu.CPU, mask linux.CPUMask) (all, self bool) {
	left := g.data.redistributors
	for i, word := range mask {
		if i == c.ID/64 {
			word |= 1 << (c.ID % 64)
		}
		g.pass(c, 1)
		left -= mathbits.OnesCount64(word)
		if left > 64*(len(mask)-1-i) {
			return false, false
		}
	}
	return left == 0, mask.Has(c.ID)
}
