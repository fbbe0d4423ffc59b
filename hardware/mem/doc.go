// Package mem is memory as CPUs share it: RAM, and the cache lines that move between CPUs.
//
// # Timed memory
//
// A line knows its owner (the CPU with the dirty copy) and its holders. A read by a CPU that holds no copy takes
// the line from the nearest holder, a write takes it away from all others and lasts as long as the farthest of
// them:
//
//	own copy      L1 hit
//	otherwise     one transfer: cluster < die < across dies < across sockets; DRAM if nobody holds the line
//
// Transfers of one line are served one after another: a write waits for everything in flight, reads overlap. The
// time of a transfer is drawn from its distance's [sim.Jitter] with (seed, line, n-th transfer of the line).
//
// A write is computed when it is issued: the time at which it drains is kept with the line, and whoever touches the
// line at or after that time applies it first. Until then every holder still reads its old copy, as it would before
// the invalidation arrives. So a store costs no event; only a line that a CPU watches wakes that CPU when a write
// drains.
//
// Caches hold tags, state and time; the data is the line's. They have no capacity: nothing is evicted.
//
// Reading order: topology.go, line.go, memory.go, holders.go.
package mem
