// Package litmus runs litmus tests on the CPUs and the memory of this program: a few accesses on two to four threads,
// and an outcome of which the architecture says whether it is allowed.
//
//	MP+dmb.sys	W x 1; dmb sy; W y 1 | R y; dmb sy; R x	1:R y=1 & 1:R x=0	forbidden
//
// The notation is: W x 1 a store, R x a load, L x 1 STLR, A x LDAR, Q x LDAPR; dmb, dsb and
// isb; SWP, SWPA, SWPL, SWPAL x 1 atomics; LDAXR-STLXR x 1 an exclusive pair; addr, data, ctrl, ctrlisb a dependency
// from the thread's previous load to what follows; msr SGI1R an SGI to the thread that begins with "IRQ:", which runs
// as the handler; mmio GICD_SGIR the same by a store to a device.
package litmus
