package gicv3

import (
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/gic"
)

// Non-secure software sees the lower half of the priorities as if it were all of them, shifted up by one bit; firmware
// has the upper half. IHI 0069, 4.8.

// secureHalf is the bit whose absence makes a priority one of the upper half.
const secureHalf = 0x80

// givenAway reports whether firmware has left the GIC to Non-secure software.
func (s *Spec) givenAway() bool { return !s.DS && s.NonSecureReset }

// keptPriority is what a priority register keeps of a value that is written.
func (s *Spec) keptPriority(v uint8) uint8 {
	if !s.DS {
		v = secureHalf | v>>1
	}
	return v & priorityMask(s.DistributorPriorityBits)
}

// seenPriority is what software reads of a priority.
func (s *Spec) seenPriority(p uint8) uint8 {
	if s.DS {
		return p
	}
	if p&secureHalf == 0 {
		return 0
	}
	return p << 1
}

// activePriorities is a set of group priorities, the most urgent in bit 0 of word 0: the AP0Rn or AP1Rn registers.
type activePriorities [4]uint32

// first is the most urgent priority of the set as a number of levels, none if it is empty.
func (a *activePriorities) first() int {
	if *a == (activePriorities{}) {
		return none
	}
	for i, w := range a {
		if w != 0 {
			return i*32 + mathbits.TrailingZeros32(w)
		}
	}
	return none
}

func (a *activePriorities) add(level int)    { a[level/32] |= 1 << (level % 32) }
func (a *activePriorities) remove(level int) { a[level/32] &^= 1 << (level % 32) }

// activeWords is the number of AP1Rn registers: one bit for each group priority.
func (s *Spec) activeWords() int { return max(1<<s.preemptionBits()/32, 1) }

// levelShift turns a group priority into a number of levels.
func (s *Spec) levelShift() int { return 8 - s.preemptionBits() }

// minBPR0 is the smallest binary point of Group 0, which leaves all preemption bits to the group priority; that of
// Group 1 is one more. IHI 0069, 4.8.
func (s *Spec) minBPR0() uint8 { return uint8(7 - s.preemptionBits()) }

// groupMask keeps the group priority of a priority.
func (c *CPUInterface) groupMask(group1 bool) uint8 {
	point := c.bpr0
	if group1 && !c.cbpr {
		point = c.bpr1 - 1
	}
	return uint8(0xff << (point + 1))
}

// active are the active priorities of one group.
func (c *CPUInterface) active(group1 bool) *activePriorities {
	if group1 {
		return &c.active1
	}
	return &c.active0
}

func (c *CPUInterface) setActive(group1 bool, n int, v uint32) {
	if levels := 1 << c.r.g.spec.preemptionBits(); levels < 32 {
		v &= 1<<levels - 1 // there are no priorities for the rest
	}
	c.active(group1)[n] = v
	c.rerun()
	c.signal()
}

// rerun finds the running priority in the active ones.
func (c *CPUInterface) rerun() {
	level := c.active1.first()
	if zero := c.active0.first(); zero != none && (level == none || zero < level) {
		level = zero
	}
	c.running = uint8(gic.IdlePriority)
	if level != none {
		c.running = uint8(level << c.r.g.spec.levelShift())
	}
}

// runningGroup1 reports whether the running priority is that of a Group 1 interrupt, if any is active. Of equals,
// Group 0 is the more urgent.
func (c *CPUInterface) runningGroup1() (group1, any bool) {
	zero, one := c.active0.first(), c.active1.first()
	if zero == none {
		return true, one != none
	}
	return one != none && one < zero, true
}
