// Package aclint is the core-local interruptors of RISC-V: software interrupts from hart to hart, and timers.
//
// One frame is one [Device] of some [Kind]: SiFive's CLINT, the CLINT of T-Head's cores, or an MSWI or SSWI of ACLINT.
// A register belongs to the hart of its number, which is a hart id; those of ids that no hart has read as zero and
// ignore writes. What a register does arrives at the hart after the time of a wire, in order for each hart.
//
// Left out: that T-Head's supervisor may access its own two pages only; the MTIMER of ACLINT with bases of its own;
// NMIs.
//
// Documents:
//   - RISC-V Advanced Core Local Interruptor Specification, chapters 2 to 4.
//   - SiFive FU540-C000 Manual, chapter 9; RTL of openC906 (T-Head).
//
// Reading order: device.go, timer.go.
package aclint
