// Package plain is the second implementation of explored memory, for tests: it lists every candidate execution of a
// small program and keeps those that the axioms allow. It shares nothing with hardware/graph, not even the type of a
// fence, so that a mistake in the one cannot hide in the other; programs and executions are exchanged as text.
//
// Nothing here is clever. A candidate takes for each program one run with guessed values (Program, run.go), then for
// each read a write of that value, for each cell an order of its writes, for each interrupt and event register an order
// of what sets it and what is taken (candidate.go). The axioms are relations over the events (axioms.go), written like
// the published ones: Arm DDI 0487 B2.3 and its machine-readable form aarch64.cat (herd 7.58); for interrupts, Simner
// and others, "Precise exceptions in relaxed architectures" (ISCA 2025); what no publication decides follows the design
// of this project and is marked "ours" at its line. RISC-V's axioms are in rvwmo.go, its instructions in riscv.go: a
// program of one architecture means nothing under the other's model.
//
// A wait samples. It is one read that satisfies it, or the last value of its place if nothing more can happen: then it
// waits for ever, or its deadline passes, in any order of the deadlines, each after all that happened before it
// (ending.go). Control reaches from it to all that follows, as from the branch of a loop. An interrupt is a bit that an
// SGI sets and a taking finds set and clears; the event register is another (latch in candidate.go).
//
// # Programs as text
//
// One instruction on a line, # begins a comment. Handlers use other registers than the program that they interrupt. A
// cell is eight bytes; a device is a cell whose accesses from one program happen in program order and are never
// forwarded.
//
//	cell x 0                      name and initial value
//	device d 0
//	thread                        threads are numbered from 0
//	  ldr.8 r0, [x+4+r1]          also ldar, ldapr, ldxr, ldaxr; sizes 1, 2, 4, 8
//	  str.4 1, [x]                also stlr
//	  stxr.8 r2, r1, [x]          also stlxr; r2 = 0 is success
//	  swpal.8 r0, 1, [x]          swp, ldadd with none, a, l, al; destination zr: the old value is not returned
//	  casal.8 r0, 0, 1, [x]       old value into r0, expected, new
//	  wait.8 r0, [x], ge, 2       also waita, waitq (LDAR, LDAPR); eq, ne, ge, lt
//	  wait.8 r0, [x], eq, 1, r3   with a deadline: r3 = 1 says that it passed
//	  sc.rl.8 r2, r1, [x]         RISC-V's: lr and sc, with none, .aq, .rl, .aqrl
//	  amoadd.aqrl.8 r0, 1, [x]    amoswap and amoadd with the same
//	  dmb ishst                   dmb and dsb with nsh, ish, osh, sy and none, st, ld ("st" and "ld" are sy's)
//	  isb
//	  fence rw, w                 RISC-V's: sets of i, o, r, w (devices read and written, memory); fence.tso
//	  mov r0, 1                   add, sub, eor, and, orr, eq, ne, ge: rd, a, b
//	  cbz r0, end                 cbnz; b end; forward only
//	  end:
//	  sgi 1, 5                    system-register write: interrupt 5 of thread 1
//	  ring 1, 5                   the same by a store to a device
//	  mask                        and unmask; a thread starts unmasked, a handler masked
//	  sev                         and wfe
//	handler 5                     of the thread above; ends with an exception return
//
// Left out: table walks, instruction fetch, tags, faults, pick dependencies of conditional selects, nested monitors.
package plain
