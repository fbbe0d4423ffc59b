// Package arm64 is the kernel's code for Arm, arch/arm64: how a CPU comes up, how it takes an interrupt, and which
// interrupts are IPIs. The interrupt controller's driver is behind [linux.IRQChip].
//
//	boot                                                arch/arm64/kernel/smp.c, setup.c   smp.go
//	arch_send_call_function_single_ipi, do_handle_IPI   arch/arm64/kernel/smp.c            smp.go
//	el1h_64_irq, el1_interrupt                          arch/arm64/kernel/entry-common.c   entry.go
package arm64
