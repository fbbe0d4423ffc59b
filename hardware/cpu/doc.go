// Package cpu is what every CPU has, whatever its instruction set: a program with its clock, the choke point
// through which it reaches everything shared, a store buffer, an interrupt input, and ways to wait.
//
// # The choke point
//
// Every access to shared state is a step: announced to the engine, then performed, then charged. Between two steps
// there is only work, which an interrupt may cut short.
//
//	Exec ── Exec ── step: announce → (interrupt?) → perform → charge ── Exec ...
//
// # The store buffer, timed
//
// A store leaves the program at once. Two points matter afterwards: the inner point, when all PEs see it (the line
// has come and the write drains), and the outer point, when the acknowledgement of the rest of the system has come
// back. Acknowledgements of one CPU are served one after another. A DMB orders drains; a DSB waits, for an
// inner-shareable domain until everything has drained, for the full system until everything is acknowledged. With
// nothing outstanding all DSBs cost the same.
//
// Loads are blocking: the program goes on when the value has come. So no barrier ever waits for a load.
//
// # Explored
//
// Connected to explored memory ([CPU.Explore]), the same programs make steps that the explorer orders, and time means
// nothing. What makes an access wait is the memory's to say, and the CPU is woken into the step of the access itself;
// a [CPU.Wait] is one step, possible with each value that satisfies it. Stores, fences and system registers are steps
// only where an interrupt could come between.
//
// Documents: Arm ARM DDI 0487 B2.3 (memory model), B2.9 (exclusive monitors), D1.6 (WFE, WFI).
//
// Reading order: spec.go, cpu.go, access.go, fence.go, device.go, wait.go, interrupt.go, dump.go.
package cpu
