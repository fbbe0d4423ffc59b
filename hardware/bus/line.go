package bus

import "github.com/hwscript/hwscript/hardware/bits"

// A Line is an interrupt wire into something. Setting it to the level that it has is harmless.
type Line interface {
	SetLine(level bool)
}

// SysRegs are system registers that a device contributes to a PE, such as the GIC's CPU interface. Both methods report
// false for an access that is UNDEFINED: the PE then takes the exception.
type SysRegs interface {
	ReadSys(r bits.SysReg) (uint64, bool)
	WriteSys(r bits.SysReg, v uint64) bool
}
