// Package riscv is a RISC-V hart around a cpu.CPU: CSRs, address translation with its caches, and the fences of both.
//
// # Translation
//
// A program's virtual accesses ([Hart.LoadVirtual], [Hart.StoreVirtual], [Hart.Fetch]) look in a uTLB, then in the
// joint TLB, and then walk; a fault is a value. A walk is reads of memory, each a step of the program: it goes by the
// hart's cache but not by its store buffer, so that a store that has not drained is not seen. What a TLB may hold
// beyond leaves (pointers to tables, invalid entries, what a speculative walk found) are options.
//
//	         ┌──────┐ miss ┌───────┐ miss  ┌──────────────┐ miss
//	va ─────▶│ uTLB ├─────▶│ joint ├──────▶│ walk cache   ├──────▶ root, one entry after another
//	         └──────┘      └───────┘       └──────────────┘
//
// Nothing is invalidated by a write of satp or of a page table, but for uTLBs without tags. [Hart.SfenceVMA] tells x0,
// by its number, from a register that holds 0. If an interrupt's handler fences while the program walks, the walk
// begins anew.
//
// # The oracle
//
// An [Oracle] keeps what the tables held and which fences came, and says what harts may translate. See its comment.
//
// # Left out
//
// Two-stage translation, Sv32, PMP, big-endian and misaligned accesses, unaligned instructions, Svvptc, two hits at a
// time (a page fault on some cores). Explored as an execution graph a hart has no translation: a walk ends the
// exploration.
//
// Documents:
//   - The RISC-V Instruction Set Manual, volume II: chapter 3, and 12 with Sv39 to Sv57, Svnapot, Svpbmt and Svinval.
//   - The RTL of openC906 (T-Head), for the quirks of that core; SiFive errata CIP-1200.
//
// Reading order: spec.go, hart.go, csr.go, interrupt.go, tlb.go, translate.go, fence.go, access.go, icache.go; then
// oracle.go, may.go; checkpoint.go, dump.go.
package riscv
