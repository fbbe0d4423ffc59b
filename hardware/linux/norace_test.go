//go:build !race

package linux_test

const raceEnabled = false
