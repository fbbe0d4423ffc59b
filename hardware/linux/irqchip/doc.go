// Package irqchip is the kernel's drivers of interrupt controllers, drivers/irqchip: that of the GICv3, which meets its
// device by the registers of the manual, never by a model.
//
//	gic_ipi_send_mask, gic_handle_irq                         irq-gic-v3.c   irqgicv3.go
//	gic_dist_init, gic_cpu_init, gic_cpu_sys_reg_init         irq-gic-v3.c   irqgicv3init.go
//	gic_iterate_rdists, gic_populate_rdist                    irq-gic-v3.c   rdistwalk.go
//
// What a patch changes is data in [Options], and a path that can be replaced as a whole is a function in [Ops].
//
// Reading order: options.go, irqgicv3.go, irqgicv3init.go, rdistwalk.go.
package irqchip
