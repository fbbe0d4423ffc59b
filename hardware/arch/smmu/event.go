package smmu

import "github.com/hwscript/hwscript/hardware/bits"

// EventSize is the number of bytes of an event record. IHI 0070, 7.3.
const EventSize Size = 32

// EventID is the first byte of an event record. IHI 0070, 7.3.
type EventID uint8

// The events.
const (
	F_UUT              EventID = 0x01
	C_BAD_STREAMID     EventID = 0x02
	F_STE_FETCH        EventID = 0x03
	C_BAD_STE          EventID = 0x04
	F_BAD_ATS_TREQ     EventID = 0x05
	F_STREAM_DISABLED  EventID = 0x06
	F_TRANSL_FORBIDDEN EventID = 0x07
	C_BAD_SUBSTREAMID  EventID = 0x08
	F_CD_FETCH         EventID = 0x09
	C_BAD_CD           EventID = 0x0a
	F_WALK_EABT        EventID = 0x0b
	F_TRANSLATION      EventID = 0x10
	F_ADDR_SIZE        EventID = 0x11
	F_ACCESS           EventID = 0x12
	F_PERMISSION       EventID = 0x13
	F_TLB_CONFLICT     EventID = 0x20
	F_CFG_CONFLICT     EventID = 0x21
	E_PAGE_REQUEST     EventID = 0x24
)

// Event record. IHI 0070, 7.3.
const (
	EVT0_ID          bits.Field = 0xff << 0        // [7:0] What happened; EventID.
	EVT0_SSV         bits.Field = 1 << 11          // [11] There is a SubstreamID.
	EVT0_SubstreamID bits.Field = 0xfffff << 12    // [31:12] The SubstreamID.
	EVT0_StreamID    bits.Field = 0xffffffff << 32 // [63:32] The StreamID.

	EVT1_STAG  bits.Field = 0xffff << 0 // [15:0] Tag for CMD_RESUME.
	EVT1_Stall bits.Field = 1 << 31     // [31] The transaction stands still.
	EVT1_PnU   bits.Field = 1 << 33     // [33] Privileged.
	EVT1_InD   bits.Field = 1 << 34     // [34] Instruction.
	EVT1_RnW   bits.Field = 1 << 35     // [35] Read.
	EVT1_NSIPA bits.Field = 1 << 38     // [38] Non-secure IPA.
	EVT1_S2    bits.Field = 1 << 39     // [39] Of stage 2.
	EVT1_CLASS bits.Field = 0x3 << 40   // [41:40] What was being done; EventClass.
	EVT1_TTRnW bits.Field = 1 << 44     // [44] The access to the table was a read.

	EVT2_InputAddr bits.Field = 0xffffffffffffffff   // [63:0] The address of the transaction.
	EVT3_FetchAddr bits.Field = 0xfffffffffffff << 0 // [51:0] The structure that could not be fetched, or the IPA.
)

// EventClass is the value of CLASS.
type EventClass uint8

// What was being done when a fault came.
const (
	ClassCD EventClass = 0
	ClassTT EventClass = 1
	ClassIN EventClass = 2
)
