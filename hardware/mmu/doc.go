// Package mmu walks page tables: from an input address to an output address, one descriptor after another. Nothing here
// has time or reads memory. Who walks asks a [Walk] which descriptor comes next, reads it by a transaction of its own,
// with its own attributes and latency, and gives it back; so each read is a step of whoever walks, between which
// anything may happen to the tables.
//
// Documents:
//   - Arm DDI 0487, D8: VMSAv8-64, stage 1 and stage 2, granules of 4, 16 and 64 KiB.
//   - Arm IHI 0070, 3.3 and 3.4: what of that an SMMU has.
//   - The RISC-V Instruction Set Manual, volume II, 12.3 to 12.6, 12.13, 12.14: Sv39 to Sv57, Svnapot, Svpbmt.
//
// # A stage
//
// What all architectures have in common is the machine of walk.go: tables that form a tree, each indexed by the same
// number of bits of the input address but the first, entries of eight bytes that are nothing, a table, or a leaf.
// Levels are counted by height: the tables whose entries are pages have height 0, whatever the manual calls that
// level. A [Stage] holds the numbers, and a [Format] says what an entry means: so a new architecture is a Format and a
// function that makes Stages of its registers.
//
//	       input address                     height 2       height 1       height 0
//	┌────────┬────────┬────────┬────────┐    ┌───────┐      ┌───────┐      ┌───────┐
//	│ index 2│ index 1│ index 0│ offset │    │ table ├─────▶│ table ├─────▶│ page  ├──▶ output
//	└────────┴────────┴────────┴────────┘    └───────┘      │ block ├──▶   └───────┘
//	                                                        └───────┘
//
// # Two stages
//
// A [Nested] walk sends each address that stage 1 makes, those of its descriptors as well, through stage 2. Either may
// be missing. It ends after a bounded number of descriptors whatever the tables hold, since heights only decrease.
//
// # Left out
//
// Arm's addresses beyond 48 bits, hardware updates of the access flag and of dirty state, the contiguous hint (each
// page of a run is walked for itself), big-endian tables.
//
// Reading order: perm.go, walk.go, nested.go, arm.go, sv.go.
package mmu
