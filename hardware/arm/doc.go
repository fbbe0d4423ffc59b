// Package arm is an Armv8 PE: a [cpu.CPU] with the system registers of the architecture.
//
// Besides, it has the names and meanings of the barriers, and the event register with WFE and SEV.
//
// Registers that belong to another block, the GIC's CPU interface, are handed on to it; everything that neither
// knows is UNDEFINED. The generic counter and PMCCNTR_EL0 are functions of the program's clock.
//
// Its timers drive lines into the interrupt controller, which the machine connects.
//
// Documents: Arm ARM DDI 0487, D1.11 (interrupts), D7 (PMU), D12 (generic timer), D17 (system registers).
//
// Reading order: spec.go, pe.go, barrier.go, event.go, abort.go, asm.go, sysregs.go, timer.go, pmu.go, dump.go. Left
// out: EL0, EL2, EL3, the timers' event stream, PMU events other than cycles, all of which no kernel path here uses.
package arm
