// Package bus is what CPUs and devices say to each other: transactions, fences, register frames, interrupt wires. A
// driver sees this package and the manuals (arch), never a model, so that a driver's mistake shows as wrong
// traffic on the bus, as on silicon.
//
// Whoever reaches memory or a device does so by one value, a [Transaction] with its master, operation, address,
// attributes and data; memory and devices answer it, with a fault as a value.
//
// Register frames follow KVM's vgic-mmio.c: a table with one row for each register, so that no model has a switch over
// offsets. One rule holds for all frames and is kept in one place, [Frame]: an access to a hole, of a size that the
// register does not have, or not aligned to its size reads as zero, is ignored as a write, and is reported as such.
//
// Reading order: transaction.go, atomic.go, regs.go, sysregs.go, line.go, fence.go, decode.go.
package bus
