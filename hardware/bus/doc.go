// Package bus is what CPUs and devices say to each other: addresses, accesses, fences, register frames, interrupt
// wires. A driver sees this package and the manuals (arch), never a model, so that a driver's mistake shows as wrong
// traffic on the bus, as on silicon.
//
// Register frames follow KVM's vgic-mmio.c: a table with one row for each register, so that no model has a switch over
// offsets. One rule holds for all frames and is kept in one place, [Frame]: an access to a hole, of a size that the
// register does not have, or not aligned to its size reads as zero, is ignored as a write, and is reported as such.
//
// Reading order: regs.go, sysregs.go, line.go, fence.go, decode.go.
package bus
