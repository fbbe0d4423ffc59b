// Package irqchip is the kernel's drivers of interrupt controllers, drivers/irqchip: those of the GICv3 and of its ITS,
// which meet their devices by the registers of the manual, never by a model.
//
//	gic_ipi_send_mask, gic_handle_irq                         irq-gic-v3.c   irqgicv3.go
//	gic_dist_init, gic_cpu_init, gic_cpu_sys_reg_init         irq-gic-v3.c   irqgicv3init.go
//	gic_iterate_rdists, gic_populate_rdist                    irq-gic-v3.c   rdistwalk.go
//	its_probe_one, its_alloc_tables, its_cpu_init             irq-gic-v3-its.c   itsprobe.go
//	its_send_single_command, its_wait_for_range_completion    irq-gic-v3-its.c   itscmd.go
//	its_create_device, its_irq_domain_activate                irq-gic-v3-its.c   itsdevice.go
//
// What a patch changes is data in [Options], and a path that can be replaced as a whole is a function in [Ops].
//
// Reading order: options.go, irqgicv3.go, irqgicv3init.go, rdistwalk.go; itsoptions.go, its.go, itsprobe.go,
// itscmd.go, itsdevice.go.
package irqchip
