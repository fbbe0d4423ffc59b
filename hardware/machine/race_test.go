//go:build race

package machine_test

// raceEnabled: the race detector allocates.
const raceEnabled = true
