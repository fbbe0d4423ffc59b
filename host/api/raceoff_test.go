//go:build !race

package api_test

// raceEnabled is whether the race detector is on; it allocates, so tests of 0 allocations are skipped.
const raceEnabled = false
