package smmu

import "github.com/hwscript/hwscript/hardware/bits"

// MaxQueueLog2 is the largest log2 of the number of a queue's entries. IHI 0070, 3.5.1.
const MaxQueueLog2 Log2 = 19

// Log2 is the logarithm of a number.
type Log2 uint8

// The Command queue. IHI 0070, 6.3.26 to 6.3.28.
const (
	SMMU_CMDQ_BASE = 0x0090 // [1 x 8] Command Queue Base Register.
	SMMU_CMDQ_PROD = 0x0098 // Command Queue Producer Register.
	SMMU_CMDQ_CONS = 0x009c // Command Queue Consumer Register.

	SMMU_CMDQ_BASE_LOG2SIZE bits.Field = 0x1f << 0           // [4:0] log2 of the number of entries.
	SMMU_CMDQ_BASE_ADDR     bits.Field = 0x7fffffffffff << 5 // [51:5] Address; bits below the queue's size are ignored.
	SMMU_CMDQ_BASE_RA       bits.Field = 1 << 62             // [62] Read-allocate hint.

	SMMU_CMDQ_PROD_WR  bits.Field = 0xfffff << 0 // [19:0] Write index, and the wrap bit above it.
	SMMU_CMDQ_CONS_RD  bits.Field = 0xfffff << 0 // [19:0] Read index, and the wrap bit above it.
	SMMU_CMDQ_CONS_ERR bits.Field = 0x7f << 24   // [30:24] Why the command at RD failed; CommandError.
)

// CommandError is the value of SMMU_CMDQ_CONS.ERR. IHI 0070, 7.1.
type CommandError uint8

// Errors of commands.
const (
	CERROR_NONE         CommandError = 0
	CERROR_ILL          CommandError = 1
	CERROR_ABT          CommandError = 2
	CERROR_ATC_INV_SYNC CommandError = 3
)

// The Event queue. IHI 0070, 6.3.29 to 6.3.34.
const (
	SMMU_EVENTQ_BASE     = 0x00a0  // [1 x 8] Event Queue Base Register.
	SMMU_EVENTQ_IRQ_CFG0 = 0x00b0  // [1 x 8] Event Queue IRQ Configuration Register 0: the MSI's address.
	SMMU_EVENTQ_IRQ_CFG1 = 0x00b8  // Event Queue IRQ Configuration Register 1: the MSI's data.
	SMMU_EVENTQ_IRQ_CFG2 = 0x00bc  // Event Queue IRQ Configuration Register 2: the MSI's attributes.
	SMMU_EVENTQ_PROD     = 0x100a8 // Event Queue Producer Register.
	SMMU_EVENTQ_CONS     = 0x100ac // Event Queue Consumer Register.

	SMMU_EVENTQ_BASE_LOG2SIZE bits.Field = 0x1f << 0           // [4:0] log2 of the number of entries.
	SMMU_EVENTQ_BASE_ADDR     bits.Field = 0x7fffffffffff << 5 // [51:5] Address.
	SMMU_EVENTQ_BASE_WA       bits.Field = 1 << 62             // [62] Write-allocate hint.

	SMMU_EVENTQ_IRQ_CFG0_ADDR    bits.Field = 0x3ffffffffffff << 2 // [51:2] Address, 0 for no MSI.
	SMMU_EVENTQ_IRQ_CFG1_DATA    bits.Field = 0xffffffff << 0      // [31:0] Data.
	SMMU_EVENTQ_IRQ_CFG2_MemAttr bits.Field = 0xf << 0             // [3:0] Memory type, as STE.MemAttr.
	SMMU_EVENTQ_IRQ_CFG2_SH      bits.Field = 0x3 << 4             // [5:4] Shareability.

	SMMU_EVENTQ_PROD_WR       bits.Field = 0xfffff << 0 // [19:0] Write index, and the wrap bit above it.
	SMMU_EVENTQ_PROD_OVFLG    bits.Field = 1 << 31      // [31] Differs from OVACKFLG: records were lost.
	SMMU_EVENTQ_CONS_RD       bits.Field = 0xfffff << 0 // [19:0] Read index, and the wrap bit above it.
	SMMU_EVENTQ_CONS_OVACKFLG bits.Field = 1 << 31      // [31] Software has seen the loss when it is as OVFLG.
)

// The PRI queue. IHI 0070, 6.3.35 to 6.3.40.
const (
	SMMU_PRIQ_BASE     = 0x00c0  // [1 x 8] PRI Queue Base Register.
	SMMU_PRIQ_IRQ_CFG0 = 0x00d0  // [1 x 8] PRI Queue IRQ Configuration Register 0: the MSI's address.
	SMMU_PRIQ_IRQ_CFG1 = 0x00d8  // PRI Queue IRQ Configuration Register 1: the MSI's data.
	SMMU_PRIQ_IRQ_CFG2 = 0x00dc  // PRI Queue IRQ Configuration Register 2: the MSI's attributes.
	SMMU_PRIQ_PROD     = 0x100c8 // PRI Queue Producer Register.
	SMMU_PRIQ_CONS     = 0x100cc // PRI Queue Consumer Register.

	SMMU_PRIQ_BASE_LOG2SIZE bits.Field = 0x1f << 0           // [4:0] log2 of the number of entries.
	SMMU_PRIQ_BASE_ADDR     bits.Field = 0x7fffffffffff << 5 // [51:5] Address.
	SMMU_PRIQ_BASE_WA       bits.Field = 1 << 62             // [62] Write-allocate hint.

	SMMU_PRIQ_IRQ_CFG0_ADDR    bits.Field = 0x3ffffffffffff << 2 // [51:2] Address, 0 for no MSI.
	SMMU_PRIQ_IRQ_CFG1_DATA    bits.Field = 0xffffffff << 0      // [31:0] Data.
	SMMU_PRIQ_IRQ_CFG2_MemAttr bits.Field = 0xf << 0             // [3:0] Memory type, as STE.MemAttr.
	SMMU_PRIQ_IRQ_CFG2_SH      bits.Field = 0x3 << 4             // [5:4] Shareability.
	SMMU_PRIQ_IRQ_CFG2_LO      bits.Field = 1 << 31              // [31] Interrupt for the Last request of a group only.

	SMMU_PRIQ_PROD_WR       bits.Field = 0xfffff << 0 // [19:0] Write index, and the wrap bit above it.
	SMMU_PRIQ_PROD_OVFLG    bits.Field = 1 << 31      // [31] Differs from OVACKFLG: requests were lost.
	SMMU_PRIQ_CONS_RD       bits.Field = 0xfffff << 0 // [19:0] Read index, and the wrap bit above it.
	SMMU_PRIQ_CONS_OVACKFLG bits.Field = 1 << 31      // [31] Software has seen the loss when it is as OVFLG.
)

// PRIEntrySize is the number of bytes of an entry of the PRI queue. IHI 0070, 8.2.
const PRIEntrySize Size = 16

// An entry of the PRI queue: one page request. IHI 0070, 8.2.
const (
	PRI0_StreamID    bits.Field = 0xffffffff << 0       // [31:0] Who asks.
	PRI0_SubstreamID bits.Field = 0xfffff << 32         // [51:32] For which substream.
	PRI0_PRIV        bits.Field = 1 << 58               // [58] Privileged access.
	PRI0_X           bits.Field = 1 << 59               // [59] Execute.
	PRI0_R           bits.Field = 1 << 60               // [60] Read.
	PRI0_W           bits.Field = 1 << 61               // [61] Write.
	PRI0_Last        bits.Field = 1 << 62               // [62] The last of its group.
	PRI0_SSV         bits.Field = 1 << 63               // [63] There is a SubstreamID.
	PRI1_PRGIndex    bits.Field = 0x1ff << 0            // [8:0] The group.
	PRI1_Address     bits.Field = 0xfffffffffffff << 12 // [63:12] The page.
)
