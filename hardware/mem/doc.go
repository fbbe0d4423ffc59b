// Package mem is memory as CPUs share it: RAM, and the cache lines that move between CPUs.
//
// # Timed memory
//
// A line knows its owner (the CPU with the dirty copy), its holders and its home: the node, a die, on which it was
// allocated. A read by a CPU that holds no copy takes the line from the nearest holder, a write takes it away from all
// others and lasts as long as the farthest of them. The way is put together from parts:
//
//	own copy            a hit, by way of nowhere
//	another CPU's       hand-off in the cluster or on the die + leg(CPU, home) + leg(home, holder) + leg(holder, CPU)
//	nobody's            system cache or memory                + leg(CPU, home) + leg(home, CPU)
//
// where a leg is nothing on a die, and otherwise one between dies or one between sockets. So a hand-off on the die of
// the home is what it was measured as, and one between two dies, of which one is the home's, is that and two legs. The
// time of a transfer is drawn from the [sim.Jitter] of its sum with (seed, line, n-th transfer of the line).
//
// Transfers of one line are served one after another: a write waits for everything in flight. Reads overlap, but the
// home takes its time for each request before it turns to the next.
//
// A write is computed when it is issued: the time at which it drains is kept with the line, and whoever touches the
// line at or after that time applies it first. Until then every holder still reads its old copy, as it would before
// the invalidation arrives. So a store costs no event; only a line that a CPU watches wakes that CPU when a write
// drains, if the CPU finds what it waits for. All that watch a line ask for it again after each write, in the order of
// their ways to the home; for those that wait on, whoever touches the line next makes the requests.
//
// A write may have a floor: a fence or a release holds it back. Its line then stays where it is until it has to be
// fetched, and accesses of other CPUs go ahead of it if the line can be back in time even when everything takes as long
// as it may; otherwise they come behind it. So the time at which a write drains stays what it was at its issue.
//
// Each node may have a system cache before its memory. A cacheable access that finds no copy in the caches of the CPUs
// looks the line up there. Reads and writes put lines there whose attributes have the allocation hint (the outer ones;
// CPUs read with it), a CPU that takes a line to write it takes it out, as do discarding, zeroing, and a write without
// the hint unless the line is there already. It holds tags, with the master that put each line there, and nothing
// that memory does not have: it changes times and no values.
//
// Caches hold tags, state and time; the data is the line's. Those of the CPUs have no capacity: a line is evicted only
// by an operation, [Memory.Clean] with discard.
//
// # Behind the caches
//
// A dirty line also keeps what memory has: the value last written back. Masters that are no CPUs reach memory by a
// [Port]. One that snoops takes part in the above with a place but without copies of its own; one that does not sees
// what memory has, and its writes do not show in clean copies until those are discarded.
//
// Reading order: topology.go, way.go, line.go, memory.go, held.go, home.go, systemcache.go, holders.go, clean.go,
// port.go.
package mem
