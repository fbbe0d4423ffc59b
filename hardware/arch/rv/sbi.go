package rv

// Extension is the EID of a supervisor binary interface call. SBI specification, chapters 3 to 8.
type Extension uint64

// The extensions that firmware here has, and those of version 0.1, which are one function each.
const (
	LegacyClearIPI   Extension = 3
	LegacySendIPI    Extension = 4
	LegacyFenceI     Extension = 5
	LegacySfence     Extension = 6
	LegacySfenceASID Extension = 7
	BaseExtension    Extension = 0x10
	IPIExtension     Extension = 0x735049
	RFENCE           Extension = 0x52464e43
)

// The functions of RFENCE.
const (
	RemoteFenceI        Function = 0
	RemoteSfenceVMA     Function = 1
	RemoteSfenceVMAASID Function = 2
)

// The functions of the base extension.
const (
	GetSpecVersion Function = 0
	ProbeExtension Function = 3
)

// Function is the FID of a call.
type Function uint64

// Error is what a call answers in a0.
type Error int64

// The errors.
const (
	Success        Error = 0
	Failed         Error = -1
	NotSupported   Error = -2
	InvalidParam   Error = -3
	Denied         Error = -4
	InvalidAddress Error = -5
)

// Call is an environment call: a7, a6, and a0 to a5.
type Call struct {
	Extension Extension
	Function  Function
	Args      [6]uint64
}

// Return is what it gives: a0 and a1.
type Return struct {
	Error Error
	Value uint64
	Fault bool // an address that the call names faults, which the supervisor takes at its ecall
}

// Operand is a register operand of a fence of translations. The zero Operand is x0, by its number; a register that
// holds 0 is another one.
type Operand struct {
	Register bool
	Value    uint64
}

// Reg is a register that holds a value.
func Reg(v uint64) Operand { return Operand{true, v} }
