// Package opensbi is the firmware of RISC-V machines as a program in machine mode: it takes the supervisor's calls for
// interrupts to other harts and for fences on them, and the machine software interrupts by which harts ask one another.
//
// What harts share lies in simulated memory, and each access to it costs what it costs. A remote fence is put into the
// queue of each target, in place of one that contains it or joined into one that it contains; the target's bit is set,
// and its MSIP written only if no bit was; the sender then waits until all have fenced, and serves its own queue
// meanwhile, so that two that fence each other do not wait for ever.
//
//	sender                                 target
//	ecall ─ queue, bit, MSIP ─ wait ....   M trap ─ take bits ─ drain queue, fence ─ count the senders down
//	                              ◀───────────────────────────────────────────────────┘
//
// What versions of the firmware do differently is a [Spec]. Left out: domains, HSM calls, hypervisor fences, timers,
// PMU.
//
// Documents: SBI specification 2.0, chapters 4 to 8; OpenSBI lib/sbi/sbi_ipi.c, sbi_tlb.c, sbi_fifo.c, sbi_ecall_*.c.
//
// Reading order: spec.go, firmware.go, call.go, fence.go, queue.go.
package opensbi
