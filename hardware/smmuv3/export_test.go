package smmuv3

import "github.com/hwscript/hwscript/hardware/bus"

// Tap puts something between an SMMU and its memory.
func (s *SMMU) Tap(tap func(bus.Target) bus.Target) { s.memory = tap(s.memory) }

// Legal is what the consumer says of a command.
func (s *SMMU) Legal(d0, d1 uint64) uint8 { return uint8(s.legal(command{d0, d1})) }
