package smmuv3_test

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/smmuv3"
)

func ExampleDecodeCommand() {
	fmt.Println(smmuv3.DecodeCommand(0x0fc01046, 0x8000_1000))
	fmt.Println(smmuv3.DecodeCommand(0x0001_0000_0000_0012, 0x1234_5001))
	// Output:
	// CMD_SYNC MSIATTR=0xf MSH=InnerShareable CS=SIG_IRQ MSIADDR=0x80001000
	// CMD_TLBI_NH_VA ASID=1 Address=0x12345000 Leaf
}
