// Package smmu is the SMMUv3 manual as far as hwscript needs it: register offsets, field layouts, values with names,
// and the words of what lies in memory (commands, events, stream table entries, context descriptors). It has no
// behaviour; the device (smmuv3) and the driver (linux/iommu) share it and nothing else.
//
// Documents:
//   - Arm IHI 0070, SMMU architecture version 3: chapter 6 (registers), 4 (commands), 5 (structures), 7 (events).
//   - Linux drivers/iommu/arm/arm-smmu-v3/arm-smmu-v3.h, for encodings that its most important user relies on.
//
// Conventions are those of package gic in the sibling directory. Of an entry in memory the number at the end of a
// word's name counts words of 64 bits: CMD_SYNC1_MSIADDR is in the second.
//
// Reading order: registers.go, queues.go, command.go, table.go, event.go.
package smmu

//go:generate go run github.com/hwscript/hwscript/hardware/arch/gen .
