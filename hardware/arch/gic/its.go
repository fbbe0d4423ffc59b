package gic

import "github.com/hwscript/hwscript/hardware/bits"

// An ITS is two frames of 64 KiB: ITS_base with its registers, and the one that devices write to. All offsets below
// count from ITS_base. IHI 0069, 12.18.
const (
	ITSFrames        Bytes = 2 * FrameSize // Both.
	TranslationFrame Bytes = FrameSize     // The second one, relative to ITS_base.
)

// ITS Control Register. IHI 0069, 12.19.
const (
	GITS_CTLR = 0x0000 // ITS Control Register.

	GITS_CTLR_Enabled    bits.Field = 1 << 0   // [0] Commands and messages are processed.
	GITS_CTLR_ImDe       bits.Field = 1 << 1   // [1] IMPLEMENTATION DEFINED.
	GITS_CTLR_ITS_Number bits.Field = 0xf << 4 // [7:4] Number of the ITS in VMOVP; GICv4.
	GITS_CTLR_Quiescent  bits.Field = 1 << 31  // [31] No command and no message is under way. RO.
)

// What the ITS is. IHI 0069, 12.19.
const (
	GITS_IIDR  = 0x0004 // ITS Identification Register.
	GITS_TYPER = 0x0008 // [1 x 8] ITS Type Register.
	GITS_MPIDR = 0x0018 // Affinity of the ITS; GICv4.1.

	GITS_TYPER_Physical       bits.Field = 1 << 0     // [0] Physical LPIs are supported.
	GITS_TYPER_Virtual        bits.Field = 1 << 1     // [1] Virtual LPIs are supported; GICv4.
	GITS_TYPER_CCT            bits.Field = 1 << 2     // [2] A collection table adds to the collections that the ITS holds.
	GITS_TYPER_ITT_entry_size bits.Field = 0xf << 4   // [7:4] Bytes of an entry of an event's table, minus one.
	GITS_TYPER_ID_bits        bits.Field = 0x1f << 8  // [12:8] Bits of an EventID, minus one.
	GITS_TYPER_Devbits        bits.Field = 0x1f << 13 // [17:13] Bits of a DeviceID, minus one.
	GITS_TYPER_SEIS           bits.Field = 1 << 18    // [18] Errors raise a system error.
	GITS_TYPER_PTA            bits.Field = 1 << 19    // [19] RDbase is an address, else a processor number.
	GITS_TYPER_HCC            bits.Field = 0xff << 24 // [31:24] Collections that the ITS holds itself.
	GITS_TYPER_CIDbits        bits.Field = 0xf << 32  // [35:32] Bits of an ICID, minus one.
	GITS_TYPER_CIL            bits.Field = 1 << 36    // [36] CIDbits counts, else ICIDs have 16 bits.
	GITS_TYPER_VMOVP          bits.Field = 1 << 37    // [37] VMOVP goes to one ITS; GICv4.
	GITS_TYPER_VMAPP          bits.Field = 1 << 40    // [40] VMAPP's format of GICv4.1.
	GITS_TYPER_SVPET          bits.Field = 0x3 << 41  // [42:41] How vPE tables are shared; GICv4.1.
)

// The command queue. IHI 0069, 12.19 and 5.2.
const (
	GITS_CBASER  = 0x0080 // [1 x 8] ITS Command Queue Descriptor.
	GITS_CWRITER = 0x0088 // [1 x 8] ITS Write Register.
	GITS_CREADR  = 0x0090 // [1 x 8] ITS Read Register.

	GITS_CBASER_Size             bits.Field = 0xff << 0          // [7:0] Pages of 4 KiB, minus one.
	GITS_CBASER_Shareability     bits.Field = 0x3 << 10          // [11:10] Shareability of accesses; Shareability.
	GITS_CBASER_Physical_Address bits.Field = 0xffffffffff << 12 // [51:12] Address, bits 51 to 12; 15 to 12 are to be 0.
	GITS_CBASER_OuterCache       bits.Field = 0x7 << 53          // [55:53] Outer cacheability; Cacheability.
	GITS_CBASER_InnerCache       bits.Field = 0x7 << 59          // [61:59] Inner cacheability; Cacheability.
	GITS_CBASER_Valid            bits.Field = 1 << 63            // [63] There is a queue.

	GITS_CWRITER_Retry  bits.Field = 1 << 0      // [0] Process a command at which the queue has stalled again.
	GITS_CWRITER_Offset bits.Field = 0x7fff << 5 // [19:5] Where software writes next, in commands of 32 bytes.

	GITS_CREADR_Stalled bits.Field = 1 << 0      // [0] The queue has stopped at a command in error.
	GITS_CREADR_Offset  bits.Field = 0x7fff << 5 // [19:5] The command that is processed next, or now.
)

// The tables. IHI 0069, 12.19 and 5.2.
const (
	GITS_BASER = 0x0100 // [8 x 8] ITS Table Descriptors.

	GITS_BASER_Size             bits.Field = 0xff << 0         // [7:0] Pages, minus one.
	GITS_BASER_Page_Size        bits.Field = 0x3 << 8          // [9:8] Size of a page; PageSize.
	GITS_BASER_Shareability     bits.Field = 0x3 << 10         // [11:10] Shareability of accesses; Shareability.
	GITS_BASER_Physical_Address bits.Field = 0xfffffffff << 12 // [47:12] Address, bits 47 to 12; 64 KiB pages: BASER64K.
	GITS_BASER_Entry_Size       bits.Field = 0x1f << 48        // [52:48] Bytes of an entry, minus one. RO.
	GITS_BASER_OuterCache       bits.Field = 0x7 << 53         // [55:53] Outer cacheability; Cacheability.
	GITS_BASER_Type             bits.Field = 0x7 << 56         // [58:56] What the table holds. RO; TableType.
	GITS_BASER_InnerCache       bits.Field = 0x7 << 59         // [61:59] Inner cacheability; Cacheability.
	GITS_BASER_Indirect         bits.Field = 1 << 62           // [62] The table has two levels.
	GITS_BASER_Valid            bits.Field = 1 << 63           // [63] There is a table.

	// With pages of 64 KiB the address's bits 51 to 48 stand where its bits 15 to 12, which are 0, would be.
	BASER64K_Address bits.Field = 0xffffffff << 16 // [47:16] Address bits 47 to 16.
	BASER64K_High    bits.Field = 0xf << 12        // [15:12] Address bits 51 to 48.
)

// TableType is what a table of the ITS holds.
type TableType uint8

// Types of tables.
const (
	NoTable         TableType = 0
	DeviceTable     TableType = 1
	VPETable        TableType = 2 // GICv4.
	CollectionTable TableType = 4
)

// PageSize is the size of a table's pages.
type PageSize uint8

// Page sizes; 3 is reserved and counts as 64 KiB.
const (
	Page4K  PageSize = 0
	Page16K PageSize = 1
	Page64K PageSize = 2
)

// Identification registers at the end of ITS_base. IHI 0069, 12.19; IHI 0029.
const (
	GITS_PIDR4 = 0xffd0 // Peripheral ID4 Register.
	GITS_PIDR5 = 0xffd4 // Peripheral ID5 Register.
	GITS_PIDR6 = 0xffd8 // Peripheral ID6 Register.
	GITS_PIDR7 = 0xffdc // Peripheral ID7 Register.
	GITS_PIDR0 = 0xffe0 // Peripheral ID0 Register.
	GITS_PIDR1 = 0xffe4 // Peripheral ID1 Register.
	GITS_PIDR2 = 0xffe8 // Peripheral ID2 Register.
	GITS_PIDR3 = 0xffec // Peripheral ID3 Register.
	GITS_CIDR0 = 0xfff0 // Component ID0 Register.
	GITS_CIDR1 = 0xfff4 // Component ID1 Register.
	GITS_CIDR2 = 0xfff8 // Component ID2 Register.
	GITS_CIDR3 = 0xfffc // Component ID3 Register.

	GITS_PIDR2_ArchRev bits.Field = 0xf << 4 // [7:4] Architecture version: 3 for GICv3, 4 for GICv4.
)

// The translation frame. IHI 0069, 12.19.
const (
	GITS_TRANSLATER = 0x10040 // ITS Translation Register: a message. WO; 32 bits, or the lower 16.

	GITS_TRANSLATER_EventID bits.Field = 0xffffffff << 0 // [31:0] The event; the DeviceID comes beside the data.
)
