// Package cpu is what every CPU has, whatever its instruction set: a program with its clock, the choke point
// through which it reaches everything shared, a store buffer, an interrupt input, and ways to wait.
//
// # The choke point
//
// Every access to shared state is a step: what is due first happens, it is performed, then charged. Between two steps
// there is only work, which an interrupt may cut short.
//
//	Exec ── Exec ── step: sync → (interrupt?) → perform → charge ── Exec ...
//
// Nearly always nothing is due before a step, no interrupt is pending and nobody looks. Then loads, stores and
// atomics of RAM return early, to the same effects: the step is two comparisons ([sim.Proc.Ahead]), and the access
// goes straight to the caches. A tracer, an execution graph and an eager engine turn this off. A step is
// never left out, not even where only one CPU has touched a line so far: another may be about to read it, earlier.
//
// # Memory behind one interface
//
// [Memory] says when an access happens, what it reads and when it is done; the CPU counts it, traces it and charges its
// time. Two stand behind it:
//
// Timed, a store leaves the program at once, and drains when its line has come: then all CPUs see it. An ordering fence
// orders drains; a completing one waits until everything before it has drained, and holds back all that follows,
// whatever it is. What one for more than the inner-shareable domain waits for beyond that is a hypothesis, an
// [OuterModel]; by default it is nothing. With nothing outstanding all completing fences cost the same. Loads are
// blocking: the program goes on when the value has come. So no fence ever waits for a load.
//
// Explored, the CPU is a thread of an execution graph ([CPU.ExploreThread]): what a load reads is the graph's to say,
// and time means nothing.
//
// # Interrupts and power
//
// There is an interrupt input for each privilege. What runs masks its own; a higher one is taken all the same, and a
// lower one waits. A CPU that is off remembers its inputs. What an instruction set adds (the event register and WFE of
// Arm, the names of fences) is its [Architecture] and [Words].
//
// Reading order: spec.go, cpu.go, memory.go, access.go, fence.go, device.go, wait.go, interrupt.go, power.go, timed.go,
// outer.go; graphed.go, graphobjects.go, graphscript.go; dump.go.
package cpu
