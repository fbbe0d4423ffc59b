//go:build !race

package riscv

const raceEnabled = false
