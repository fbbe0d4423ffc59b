package gicv3

import "github.com/hwscript/hwscript/hardware/arch/gic"

// A view is a register frame with interrupts in it: the distributor's, of SPIs, or a redistributor's, of the SGIs and
// PPIs of its PE. The registers of either are the functions below. IHI 0069, 12.8 and 12.11.
type view interface {
	gic() *GIC
	// bankAt holds an INTID, nil if the frame has none of that number; priorityOf is the priority of one that it has.
	bankAt(irq int) *bank
	priorityOf(irq int) *uint8
	// withdraw and offer stand around a change to interrupts of a bank, so that what it means for others follows.
	withdraw(word int, mask uint32)
	offer(word int, mask uint32)
	// hold keeps RWP set for a while.
	hold()
}

// read is a word of a bank, of the interrupts that software may see. Without DS, those of Group 0 are not.
func read(v view, irq int, word func(*bank) uint32) uint64 {
	if b := v.bankAt(irq); b != nil {
		return uint64(word(b) & b.visible(&v.gic().spec))
	}
	return 0
}

// change applies a change to those interrupts of a bank in mask that software may see.
func change(v view, irq int, mask uint64, apply func(b *bank, mask uint32)) {
	b := v.bankAt(irq)
	if b == nil {
		return
	}
	m := uint32(mask) & b.visible(&v.gic().spec)
	v.withdraw(irq/32, m)
	apply(b, m)
	v.offer(irq/32, m)
	v.gic().settle()
}

// sees reports whether software may see one interrupt.
func sees(v view, irq int) bool {
	b := v.bankAt(irq)
	return b != nil && b.visible(&v.gic().spec)>>(irq%32)&1 != 0
}

func readGroup[V view](v V, irq int) uint64 {
	if !v.gic().spec.DS {
		return 0
	}
	return read(v, irq, func(b *bank) uint32 { return b.group })
}

func writeGroup[V view](v V, irq int, value, _ uint64) {
	if v.gic().spec.DS {
		change(v, irq, ^uint64(0), func(b *bank, mask uint32) { b.group = uint32(value) & mask })
	}
}

func readEnable[V view](v V, irq int) uint64 {
	return read(v, irq, func(b *bank) uint32 { return b.enabled })
}

func setEnable[V view](v V, irq int, value, _ uint64) {
	change(v, irq, value, func(b *bank, mask uint32) { b.enabled |= mask })
}

func clearEnable[V view](v V, irq int, value, _ uint64) {
	change(v, irq, value, func(b *bank, mask uint32) { b.enabled &^= mask })
	v.hold()
}

func readPending[V view](v V, irq int) uint64 { return read(v, irq, (*bank).pending) }

func setPending[V view](v V, irq int, value, _ uint64) {
	change(v, irq, value, func(b *bank, mask uint32) { b.latch |= mask })
}

func clearPending[V view](v V, irq int, value, _ uint64) {
	change(v, irq, value, func(b *bank, mask uint32) { b.latch &^= mask })
}

func readActive[V view](v V, irq int) uint64 {
	return read(v, irq, func(b *bank) uint32 { return b.active })
}

func setActive[V view](v V, irq int, value, _ uint64) {
	change(v, irq, value, func(b *bank, mask uint32) { b.active |= mask })
}

func clearActive[V view](v V, irq int, value, _ uint64) {
	change(v, irq, value, func(b *bank, mask uint32) { b.active &^= mask })
}

func readPriority[V view](v V, irq int) uint64 {
	value := uint64(0)
	for i := range 4 {
		if sees(v, irq+i) {
			value |= uint64(v.gic().spec.seenPriority(*v.priorityOf(irq + i))) << (8 * i)
		}
	}
	return value
}

func writePriority[V view](v V, irq int, value, mask uint64) {
	for ; mask != 0; irq, value, mask = irq+1, value>>8, mask>>8 {
		if !sees(v, irq) {
			continue
		}
		v.withdraw(irq/32, 1<<(irq%32))
		*v.priorityOf(irq) = v.gic().spec.keptPriority(uint8(value))
		v.offer(irq/32, 1<<(irq%32))
	}
	v.gic().settle()
}

func readConfig[V view](v V, irq int) uint64 {
	return uint64(spread(uint32(read(v, irq, func(b *bank) uint32 { return b.edge }) >> (irq % 32))))
}

// writeConfig sets the triggers of PPIs and SPIs; SGIs are edge-triggered, whatever is written.
func writeConfig[V view](v V, irq int, value, _ uint64) {
	if irq < int(gic.FirstPPI) {
		return
	}
	half := uint64(0xffff) << (irq % 32)
	edges := gather(uint32(value)) << (irq % 32)
	change(v, irq, half, func(b *bank, mask uint32) { b.edge = b.edge&^mask | edges&mask })
}

// spread turns 16 bits of a bank's edge word into ICFGR's two bits for each interrupt, of which the upper says "edge".
func spread(edges uint32) uint32 {
	v := uint32(0)
	for i := range 16 {
		v |= uint32(gic.Edge) * (edges >> i & 1) << (2 * i)
	}
	return v
}

// gather is the inverse of spread; the lower bits are RES0.
func gather(config uint32) uint32 {
	v := uint32(0)
	for i := range 16 {
		v |= config >> (2*i + 1) & 1 << i
	}
	return v
}
