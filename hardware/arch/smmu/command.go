package smmu

import "github.com/hwscript/hwscript/hardware/bits"

// CommandSize is the number of bytes of a command. IHI 0070, 4.1.
const CommandSize Size = 16

// Opcode is the first byte of a command. IHI 0070, 4.1.
type Opcode uint8

// The commands.
const (
	CMD_PREFETCH_CONFIG Opcode = 0x01
	CMD_PREFETCH_ADDR   Opcode = 0x02
	CMD_CFGI_STE        Opcode = 0x03
	CMD_CFGI_STE_RANGE  Opcode = 0x04 // Range 31 is CMD_CFGI_ALL.
	CMD_CFGI_CD         Opcode = 0x05
	CMD_CFGI_CD_ALL     Opcode = 0x06
	CMD_CFGI_VMS_PIDM   Opcode = 0x07
	CMD_TLBI_NH_ALL     Opcode = 0x10
	CMD_TLBI_NH_ASID    Opcode = 0x11
	CMD_TLBI_NH_VA      Opcode = 0x12
	CMD_TLBI_NH_VAA     Opcode = 0x13
	CMD_TLBI_EL3_ALL    Opcode = 0x18
	CMD_TLBI_EL3_VA     Opcode = 0x1a
	CMD_TLBI_EL2_ALL    Opcode = 0x20
	CMD_TLBI_EL2_ASID   Opcode = 0x21
	CMD_TLBI_EL2_VA     Opcode = 0x22
	CMD_TLBI_EL2_VAA    Opcode = 0x23
	CMD_TLBI_S12_VMALL  Opcode = 0x28
	CMD_TLBI_S2_IPA     Opcode = 0x2a
	CMD_TLBI_NSNH_ALL   Opcode = 0x30
	CMD_ATC_INV         Opcode = 0x40
	CMD_PRI_RESP        Opcode = 0x41
	CMD_RESUME          Opcode = 0x44
	CMD_STALL_TERM      Opcode = 0x45
	CMD_SYNC            Opcode = 0x46
	CMD_DPTI_ALL        Opcode = 0x70
	CMD_DPTI_PA         Opcode = 0x73
)

// What commands have in common. IHI 0070, 4.1.6.
const (
	CMD0_Opcode      bits.Field = 0xff << 0        // [7:0] The command; Opcode.
	CMD0_SSec        bits.Field = 1 << 10          // [10] A Secure stream; must be 0 in a Non-secure queue.
	CMD0_SSV         bits.Field = 1 << 11          // [11] There is a SubstreamID.
	CMD0_SubstreamID bits.Field = 0xfffff << 12    // [31:12] The SubstreamID.
	CMD0_StreamID    bits.Field = 0xffffffff << 32 // [63:32] The StreamID.
)

// Invalidation of configuration, and prefetches. IHI 0070, 4.2 and 4.3.
const (
	CMD_CFGI1_Leaf bits.Field = 1 << 0 // [0] Only the last level of a two-level table.

	CMD_CFGI_RANGE1_Range bits.Field = 0x1f << 0 // [4:0] log2 of the number of StreamIDs, minus one; 31 for all.
)

// Prefetch of an address. IHI 0070, 4.2.2.
const (
	CMD_PREFETCH1_Size    bits.Field = 0x1f << 0             // [4:0] log2 of the number of pages.
	CMD_PREFETCH1_Address bits.Field = 0xfffffffffffff << 12 // [63:12] The address.
)

// RangeAll is the Range of CMD_CFGI_STE_RANGE that makes it CMD_CFGI_ALL. IHI 0070, 4.3.6.
const RangeAll RangeLog2 = 31

// RangeLog2 is log2 of a number of StreamIDs, minus one.
type RangeLog2 uint8

// Invalidation of translations. IHI 0070, 4.4.
const (
	CMD_TLBI0_NUM     bits.Field = 0x1f << 12            // [16:12] With TG: multiples of 2^SCALE pages, minus one.
	CMD_TLBI0_SCALE   bits.Field = 0x1f << 20            // [24:20] With TG: log2 of what NUM counts.
	CMD_TLBI0_VMID    bits.Field = 0xffff << 32          // [47:32] The VMID.
	CMD_TLBI0_ASID    bits.Field = 0xffff << 48          // [63:48] The ASID.
	CMD_TLBI1_Leaf    bits.Field = 1 << 0                // [0] Entries of the last level only.
	CMD_TLBI1_TTL     bits.Field = 0x3 << 8              // [9:8] With TG: level of the entry, 0 for any.
	CMD_TLBI1_TG      bits.Field = 0x3 << 10             // [11:10] Granule; 0: a single entry; RangeGranule.
	CMD_TLBI1_Address bits.Field = 0xfffffffffffff << 12 // [63:12] The address.
)

// RangeGranule is the value of the TG field of TLB invalidations. IHI 0070, 4.4.1.
type RangeGranule uint8

// Granules of ranges.
const (
	RangeNone RangeGranule = 0
	Range4K   RangeGranule = 1
	Range16K  RangeGranule = 2
	Range64K  RangeGranule = 3
)

// Shift is log2 of the granule's bytes.
func (g RangeGranule) Shift() uint8 { return 10 + 2*uint8(g) }

// ATS and PRI. IHI 0070, 4.5.
const (
	CMD_ATC_INV0_Global  bits.Field = 1 << 9                // [9] For all substreams.
	CMD_ATC_INV1_Size    bits.Field = 0x3f << 0             // [5:0] log2 of the number of pages of 4 KiB, 52 for all.
	CMD_ATC_INV1_Address bits.Field = 0xfffffffffffff << 12 // [63:12] The address.

	CMD_PRI_RESP1_PRGIndex bits.Field = 0x1ff << 0 // [8:0] The group.
	CMD_PRI_RESP1_Resp     bits.Field = 0x3 << 12  // [13:12] The answer; PRIResponse.
)

// PRIResponse is the value of CMD_PRI_RESP's Resp. IHI 0070, 4.5.2.
type PRIResponse uint8

// Answers to a group of page requests.
const (
	PRIDeny    PRIResponse = 0
	PRIFail    PRIResponse = 1
	PRISuccess PRIResponse = 2
)

// Stalled transactions. IHI 0070, 4.6.
const (
	CMD_RESUME0_Ac   bits.Field = 1 << 12     // [12] Retry.
	CMD_RESUME0_Ab   bits.Field = 1 << 13     // [13] Terminate with an abort, else RAZ/WI.
	CMD_RESUME1_STAG bits.Field = 0xffff << 0 // [15:0] The tag of the event.
)

// CMD_SYNC. IHI 0070, 4.7.3.
const (
	CMD_SYNC0_CS      bits.Field = 0x3 << 12            // [13:12] How completion is told; SyncSignal.
	CMD_SYNC0_MSH     bits.Field = 0x3 << 22            // [23:22] Shareability of the MSI; Shareability.
	CMD_SYNC0_MSIATTR bits.Field = 0xf << 24            // [27:24] Memory type of the MSI, as STE.MemAttr.
	CMD_SYNC0_MSIDATA bits.Field = 0xffffffff << 32     // [63:32] Data of the MSI.
	CMD_SYNC1_MSIADDR bits.Field = 0x3ffffffffffff << 2 // [51:2] Address of the MSI, 0 for none.
)

// SyncSignal is the value of CMD_SYNC's CS.
type SyncSignal uint8

// How the completion of a CMD_SYNC is told.
const (
	SIG_NONE     SyncSignal = 0
	SIG_IRQ      SyncSignal = 1
	SIG_SEV      SyncSignal = 2
	SIG_RESERVED SyncSignal = 3
)
