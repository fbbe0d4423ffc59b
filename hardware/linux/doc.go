// Package linux is the kernel's code: the paths through which Linux signals between CPUs, as programs on [cpu.CPU]
// that see registers, memory and manuals, never a model.
//
// Functions bear the kernel's names and cite their files. The version is 5.17; what a patch changes is data in
// [Options], and a path that can be replaced as a whole is a function in [Ops].
//
//	smp_call_function_single(cpu, func, info, wait)            kernel/smp.c          smp.go
//	  generic_exec_single: csd, llist_add                      kernel/smp.c, llist.h smp.go
//	  send_call_function_single_ipi                            kernel/sched/core.c   smp.go
//	    gic_ipi_send_mask: barrier, ICC_SGI1R_EL1, ISB         irq-gic-v3.c          irqgicv3.go
//	  csd_lock_wait                                            kernel/smp.c          smp.go
//	interrupt: gic_handle_irq: ICC_IAR1_EL1, DSB SY, EOI       irq-gic-v3.c          entry.go
//	  flush_smp_call_function_queue                            kernel/smp.c          smp.go
//
// Straight-line code between accesses costs the cycles of [Costs].
//
// Reading order: options.go, kernel.go, smp.go, irqgicv3.go, entry.go, boot.go, rdistwalk.go, cpumask.go, probe.go.
package linux
