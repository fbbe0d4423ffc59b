// Package machine turns a [Spec] into a wired [Machine]: PEs, memory, a GIC and a kernel on one engine.
//
// A Spec is plain data: a topology, and latencies that each say where their number comes from. The presets are
// Specs with sourced latencies; a script changes a copy.
//
// Reading order: latency.go, spec.go, presets.go, machine.go, boot.go.
package machine
