// Package graph explores the executions of programs as graphs: which write each read reads, in which order the writes
// of a location come, where interrupts are taken. It knows no time, no CPU and no device.
//
// # Mental model
//
// A [Program] is some threads. Each is a function that reads and writes through a [Handle]; what a read returns is the
// graph's to say. A [Model] is a table of edges that order events within a thread. A graph counts if every location is
// coherent, atomics are atomic, and the order that comes of the table, of who reads from whom, and of the order of
// writes has no cycle:
//
//	CPU0: W x=1 ──dmb st──▶ W y=1          CPU1: R y=1 ──addr──▶ R x=0
//	        ▲                  └────reads from────▲                │
//	        └──────────────── comes later than what it reads ◀─────┘   a cycle: not on Arm
//
// Objects that are no memory are locations, too: an interrupt line that is written to be raised and taken by an update,
// the registers of a device, each access of which is an update.
//
// # The search
//
// Threads are executed in a fixed order, always forwards, and nothing is undone but by going back. At each step the
// graph at hand says which operation comes next; all that is open is how it turns out:
//   - a write takes any place among the writes that are there;
//   - a read reads any write that is there, or is left open for one that is to come;
//   - a new write is read by any of the reads that have been left open for it;
//   - an interrupt is taken here, by a write that is there or that is to come, or is not taken here.
//
// A thread stands at a read that is open. When all stand, the first is executed further, up to an operation that needs
// the value: its address, or a branch. A write whose value is not known is passed over and placed later. That is how
// load buffering comes. It is not executed beyond a barrier behind which everything comes after the read: no write that
// the read could read needs what is there.
//
// # Why no execution is missed, and none comes twice
//
// Take a complete execution E that the model allows. Every graph on the way that is a part of E has exactly one
// successor that is: what is open in a step (a place relative to the writes that are there, which of them is read or
// that it is a later one, which open reads read the new write) is determined by E. Graphs are checked for consistency
// only, and every part of E is consistent, since fewer events mean fewer edges. So the path to E is unique, and it is
// cut nowhere. It ends in E unless all threads stand although E has more events. Each then needs the value of an open
// read, whose write in E needs, by address, data, branches and reads, another. These needs have no end, so there is a
// cycle of them; but in an execution without a cycle of ordered-before there is none: within a thread such a chain
// leads from a read that another thread has written to a write that another thread reads, and address, data, control,
// addr;po, forwarding after address or data, and their counterparts for system registers, devices and interrupts order
// its ends. (What an add writes comes of its read; models take it as a data dependency. The write of a swap does not:
// when all stand it is placed before its read has read. Whether a compare-and-swap writes is known by its read, which
// no model orders before a plain load that the write is forwarded to: as long as it is open, there is one graph in
// which it will write and one in which it will not.)
//
// A read is left open only if a write to its location is known that may still come: see known.go, which begins again
// when it learns of one that it did not know. That loses nothing either. Let w be a write that is never learned of, in
// an execution E, such that all writes that w needs are learned of. Leave out of E all that needs writes not learned
// of, and let reads so left out read earlier: place each, in an order of E that agrees with ordered-before, directly
// behind what must come before it, and let it read what is latest there. All edges are kept, so this is an execution,
// or the beginning of one, and to follow it the search needs learned writes only. It comes to w, or to another write
// that it did not know.
//
// All of this takes it that what a thread does follows from what it says that it looks at: declared.go compares.
//
// # Waits and deadlines
//
// A wait reads again and again: it ends with any readable value that satisfies it, one that comes later, or never.
// When nothing else can happen, a wait whose location's last value satisfies it would have gone on: other graphs have
// that. One whose deadline passes comes after everything so far; only then do deadlines pass. What happens then may
// interrupt the other threads where they stand, which is asked again: a wait that is interrupted is taken back.
//
// Documents: Arm ARM DDI 0487, B2.3; herdtools7, aarch64.cat; Simner et al., "Relaxed exceptions in the Arm-A
// architecture". Other ways to explore graphs: Kokologiannakis, Vafeiadis, "HMC: model checking for hardware memory
// models" (ASPLOS 2020), Kokologiannakis et al., "Truly stateless, optimal dynamic partial order reduction" (POPL
// 2022); there reads are revisited instead of left open.
//
// # Parts
//
// A tree of executions is divided into subtrees, each named by the choices that lead to it, which workers explore side
// by side, see [Plan]. A failing execution is its [Path]. A sample goes down the tree by one child of each graph.
//
// Reading order: model.go, program.go, graph.go, local.go, search.go, access.go, known.go, quiet.go, replay.go,
// declared.go; then explore.go, report.go, steps.go, task.go, plan.go, sample.go.
package graph
