//go:build race

package riscv

// raceEnabled: the race detector allocates on its own account, so tests of 0 allocations are skipped.
const raceEnabled = true
