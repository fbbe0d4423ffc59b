// Package linux is the kernel's code: the paths through which Linux signals between CPUs, as programs on [cpu.CPU]
// that see registers, memory and manuals, never a model. This package is what all architectures share; arm64 and
// irqchip below it are arch/arm64 and drivers/irqchip. What they need of the instruction set is [Arch].
//
// Functions bear the kernel's names and cite their files. The version is 5.17; what a patch changes is data in Options,
// and a path that can be replaced as a whole is a function in Ops, where it belongs.
//
//	smp_call_function_single(cpu, func, info, wait)            kernel/smp.c               smp.go
//	  generic_exec_single: csd, llist_add                      kernel/smp.c, llist.h      smp.go, llist.go
//	  send_call_function_single_ipi                            kernel/sched/core.c        sched.go
//	    arch_send_call_function_single_ipi                     arch/arm64/kernel/smp.c    arm64/smp.go
//	      gic_ipi_send_mask: barrier, ICC_SGI1R_EL1, ISB       irq-gic-v3.c               irqchip/irqgicv3.go
//	  csd_lock_wait                                            kernel/smp.c               smp.go
//	interrupt: el1h_64_irq                                     entry-common.c             arm64/entry.go
//	  gic_handle_irq: ICC_IAR1_EL1, DSB SY, EOI                irq-gic-v3.c               irqchip/irqgicv3.go
//	    flush_smp_call_function_queue                          kernel/smp.c               smp.go
//
// Straight-line code between accesses costs the cycles of [Costs]. What one CPU writes for another to read lies in
// simulated memory. Beside it, in Go, are what the kernel's image and its static keys hold, and the functions of remote
// calls: each has a place that belongs to a csd, and is guarded by that csd's lock.
//
// Reading order: arch.go, options.go, kernel.go, smp.go, llist.go, sched.go, irq.go, cpumask.go, probe.go; then arm64
// and irqchip.
package linux
