package gic

import "github.com/hwscript/hwscript/hardware/bits"

// A byte of the LPI Configuration table, one for each LPI from INTID 8192 on. IHI 0069, 5.1.1.
const (
	LPI_CONFIG_Enable   bits.Field = 1 << 0    // [0] The LPI is enabled.
	LPI_CONFIG_RES1     bits.Field = 1 << 1    // [1] RES1.
	LPI_CONFIG_Priority bits.Field = 0x3f << 2 // [7:2] Bits 7 to 2 of the priority; 1 and 0 are zero.
)
