// Package machine turns a [Spec] into a wired [Machine]: CPUs, memory, a board and a kernel on one engine.
//
// A Spec is plain data: a topology, latencies that each say where their number comes from, and a [BoardSpec]. The
// presets are Specs with sourced latencies; a script changes a copy.
//
// A [Board] is what depends on the architecture: it makes the cores and the devices and wires them. All that a machine
// consists of are parts, which save and restore their state, say what is wrong at the end, and describe themselves;
// the machine itself, the explorer and the Lua bindings know parts and cores, and no device. Who needs more, such as
// the Lua class of a device, asks the board for it by an interface.
//
//	Spec ── BoardSpec ──Build──> Board ── Core, Core, ...   around one cpu.CPU each
//	  └──────New──────> Machine    └───── Part, Part, ...   devices
//
// Reading order: latency.go, spec.go, describe.go, part.go, machine.go, boot.go, explore.go, device.go, topology.go; of
// the Arm board armspec.go, armboard.go, armits.go, lookup.go, armpresets.go, armqdf2400.go.
package machine
