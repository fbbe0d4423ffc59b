// Package smmuv3 is a register-true model of an SMMUv3: its registers, the Command, Event and PRI queues, configuration
// and translation with their caches, and the transactions of devices behind it.
//
// Documents:
//   - Arm IHI 0070, SMMU architecture version 3.
//   - Arm DDI 0487, D8, for translation tables, which package mmu walks.
//   - Linux drivers/iommu/arm/arm-smmu-v3, for what its most important user relies on.
//
// # Block diagram
//
//	PROD ──▶ consumer ──▶ invalidations ──▶ caches: STE, CD, level 1 descriptors, TLB
//	         │   ▲                             │ ▲
//	   CONS ◀┘   └─ CMD_SYNC waits ◀─ flight   │ │
//	         └─▶ MSI, wire, event              ▼ │
//	devices ──▶ requests ──▶ translation ──▶ reads of structures and descriptors ──▶ the system
//	                │                                                                 ▲
//	                └──▶ events ──▶ Event queue ──▶ MSI, wire                         │
//	                └──▶ the transaction with its physical address ───────────────────┘
//
// Everything in memory is read and written by transactions, each at a time of its own, and each step before and behind
// them has a latency (spec.go). What was read is what memory had when the read left. Structures and translations are
// kept until a command drops them or another takes their place.
//
// # The Command queue's consumer
//
//	off ◀── CMDQEN ──▶ idle ── PROD ≠ CONS ──▶ fetching ──▶ decoding ──▶ executing ──▶ idle, CONS passed
//	                    ▲                                    │      └──▶ syncing ──▶ idle, CONS passed, signal
//	                    └── CMDQ_ERR acknowledged ── halted ◀┘
//
// Consumption is not completion: an invalidation comes into effect some time after CONS has passed it, and marks the
// transactions that use what it names, those that are still being translated too. A CMD_SYNC waits for the
// invalidations before it, for the transactions that they have marked, for the answers of ATCs, for the MSIs of
// CMD_SYNCs before it, and then for the event records of what has ended. Nothing behind a CMD_SYNC begins before it is
// complete.
//
// # A request
//
//	arrived ──▶ reading ──▶ ... ──▶ leaving ──▶ accessing ──▶ answered
//	   ▲           │
//	   │           ├──▶ ending ──▶ answered: aborted, or reads zero
//	   │           └──▶ faulted ──▶ stalled ── CMD_RESUME ──▶ arrived, or ending
//	   │                    └────▶ blocked: no room for the record
//	   └───────────────────────────────┘ room
//
// # Left out
//
// The Secure and Realm programming interfaces, ATS translation requests (devices may have their caches invalidated,
// and answer or not), HTTU, MPAM, ECMDQ, VATOS, AArch32 and big-endian tables, addresses beyond 48 bits; there is no
// cache of intermediate descriptors. Each is legal to be without, and the identification registers say so.
//
// Reading order: spec.go, state.go, smmu.go, regs.go, control.go, irq.go, queue.go, consumer.go, command.go,
// invalidate.go, cache.go, tlb.go, config.go, translation.go, result.go, event.go, request.go, flight.go, output.go,
// pri.go, attr.go, decode.go, dump.go, stats.go, checkpoint.go.
package smmuv3
