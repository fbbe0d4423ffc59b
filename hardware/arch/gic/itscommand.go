package gic

import "github.com/hwscript/hwscript/hardware/bits"

// ITSCommand is a command of the ITS's queue: four doublewords. IHI 0069, 5.3.
type ITSCommand [4]uint64

// ITSCommandSize is the size of a command.
const ITSCommandSize Bytes = 32

// The fields of commands; a command has those that its row in the manual has, and its other bits are RES0. IHI 0069,
// 5.3.
const (
	ITS_CMD_0_Opcode   bits.Field = 0xff << 0        // [7:0] The command; ITSOpcode.
	ITS_CMD_0_DeviceID bits.Field = 0xffffffff << 32 // [63:32] The device.

	ITS_CMD_1_EventID bits.Field = 0xffffffff << 0  // [31:0] The event of the device.
	ITS_CMD_1_pINTID  bits.Field = 0xffffffff << 32 // [63:32] MAPTI: the LPI.

	ITS_CMD_2_ICID   bits.Field = 0xffff << 0       // [15:0] The collection.
	ITS_CMD_2_RDbase bits.Field = 0xfffffffff << 16 // [51:16] A redistributor: processor number or address bits 51 to 16.
	ITS_CMD_2_V      bits.Field = 1 << 63           // [63] Map, else unmap.

	ITS_CMD_3_RDbase2 bits.Field = 0xfffffffff << 16 // [51:16] MOVALL: the redistributor that LPIs move to.
)

// The fields of MAPD that no other command has. IHI 0069, 5.3.
const (
	ITS_MAPD_1_Size bits.Field = 0x1f << 0 // [4:0] Bits of the device's EventIDs, minus one.

	ITS_MAPD_2_ITTaddr bits.Field = 0xfffffffffff << 8 // [51:8] Interrupt translation table address, bits 51 to 8.
	ITS_MAPD_2_V       bits.Field = 1 << 63            // [63] Map, else unmap.
)

// The fields that commands of GICv4 have beside or in place of these. IHI 0069, 5.3.
const (
	ITS_VCMD_1_EventID bits.Field = 0xffffffff << 0 // [31:0] The event of the device.
	ITS_VCMD_1_vPEID   bits.Field = 0xffff << 32    // [47:32] The virtual PE.

	ITS_VCMD_2_ICID     bits.Field = 0xffff << 0      // [15:0] The collection.
	ITS_VCMD_2_Doorbell bits.Field = 0xffffffff << 32 // [63:32] The LPI of a virtual PE that does not run.

	ITS_VMOVP_0_Opcode          bits.Field = 0xff << 0    // [7:0] The command; ITSOpcode.
	ITS_VMOVP_0_Sequence_Number bits.Field = 0xffff << 32 // [47:32] The same in the queues of all ITSs.

	ITS_VMOVP_1_ITSList bits.Field = 0xffff << 0  // [15:0] The ITSs that are given the command.
	ITS_VMOVP_1_vPEID   bits.Field = 0xffff << 32 // [47:32] The virtual PE.
)

// ITSOpcode says what a command does.
type ITSOpcode uint8

// The commands of GICv3, and those of GICv4.
const (
	MOVI    ITSOpcode = 0x01 // An event of a device goes to another collection.
	INT     ITSOpcode = 0x03 // As a message of the device would.
	CLEAR   ITSOpcode = 0x04 // What a message has made pending no longer is.
	SYNC    ITSOpcode = 0x05 // Wait until a redistributor has done what it was given.
	MAPD    ITSOpcode = 0x08 // A device has an interrupt translation table.
	MAPC    ITSOpcode = 0x09 // A collection is of a redistributor.
	MAPTI   ITSOpcode = 0x0a // An event of a device is an LPI of a collection.
	MAPI    ITSOpcode = 0x0b // MAPTI to the LPI with the event's number.
	INV     ITSOpcode = 0x0c // The configuration of an event's LPI has changed.
	INVALL  ITSOpcode = 0x0d // That of LPIs of a collection.
	MOVALL  ITSOpcode = 0x0e // All that is pending at a redistributor goes to another.
	DISCARD ITSOpcode = 0x0f // CLEAR, and the event is no LPI any more.

	VMOVI   ITSOpcode = 0x21
	VMOVP   ITSOpcode = 0x22
	VSGI    ITSOpcode = 0x23
	VSYNC   ITSOpcode = 0x25
	VMAPP   ITSOpcode = 0x29
	VMAPTI  ITSOpcode = 0x2a
	VMAPI   ITSOpcode = 0x2b
	VINVALL ITSOpcode = 0x2d
	INVDB   ITSOpcode = 0x2e
)

// ITS_ERROR_Number is how the manual numbers what is wrong with a command. IHI 0069, 5.3.
const (
	ITS_ERROR_Number bits.Field = 0xffffff << 0 // [23:0] The error; ITSError.
)

// ITSError is what is wrong with a command: 0x01, the command, the reason.
type ITSError uint32

// Errors of commands.
const (
	MOVI_UNMAPPED_INTERRUPT    ITSError = 0x010107
	MOVI_UNMAPPED_COLLECTION   ITSError = 0x010109
	INT_UNMAPPED_INTERRUPT     ITSError = 0x010307
	CLEAR_UNMAPPED_INTERRUPT   ITSError = 0x010507
	MAPD_DEVICE_OOR            ITSError = 0x010801
	MAPD_ITTSIZE_OOR           ITSError = 0x010802
	MAPC_PROCNUM_OOR           ITSError = 0x010902
	MAPC_COLLECTION_OOR        ITSError = 0x010903
	MAPTI_UNMAPPED_DEVICE      ITSError = 0x010a04
	MAPTI_ID_OOR               ITSError = 0x010a05
	MAPTI_PHYSICALID_OOR       ITSError = 0x010a06
	INV_UNMAPPED_INTERRUPT     ITSError = 0x010c07
	INVALL_UNMAPPED_COLLECTION ITSError = 0x010d09
	MOVALL_PROCNUM_OOR         ITSError = 0x010e01
	DISCARD_UNMAPPED_INTERRUPT ITSError = 0x010f07
)
