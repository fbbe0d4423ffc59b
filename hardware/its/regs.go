package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

// frame is the map of the first frame. IHI 0069, 12.18.
var frame = bus.MustFrame(uint64(gic.FrameSize), bus.Registers[ITS]{
	bus.Reg(gic.GITS_CTLR, bus.W32, (*ITS).readCtlr, (*ITS).writeCtlr),
	bus.Reg(gic.GITS_IIDR, bus.W32, (*ITS).readIidr, bus.WI),
	bus.Reg(gic.GITS_TYPER, bus.W32|bus.W64, (*ITS).readTyper, bus.WI),
	bus.Reserved[ITS](gic.GITS_MPIDR, 4, bus.W32),
	bus.Halves(gic.GITS_CBASER, (*ITS).readCbaser, (*ITS).writeCbaser),
	bus.Halves(gic.GITS_CWRITER, (*ITS).readCwriter, (*ITS).writeCwriter),
	bus.Halves(gic.GITS_CREADR, (*ITS).readCreadr, (*ITS).writeCreadr),
	bus.PerIRQ(gic.GITS_BASER, 64, basers, bus.W32|bus.W64, (*ITS).readBaser, (*ITS).writeBaser),
	bus.Words(gic.GITS_PIDR4, identificationWords, (*ITS).readIdentification),
})

// identificationWords is the number of registers from PIDR4 to the end of the frame: PIDR4-7, PIDR0-3, CIDR0-3.
const identificationWords = 12

// cidr is the CoreSight component identification, CIDR0 to CIDR3. IHI 0029.
var cidr = [4]uint8{0x0d, 0xf0, 0x05, 0xb1}

// ReadReg implements [bus.Device].
func (i *ITS) ReadReg(off uint64, w bus.Width) (uint64, bool) { return frame.Read(i, off, w) }

// WriteReg implements [bus.Device].
func (i *ITS) WriteReg(off uint64, w bus.Width, v uint64) bool { return frame.Write(i, off, w, v) }

func (i *ITS) readIidr() uint64 { return uint64(i.spec.IIDR) }

func (i *ITS) readTyper() uint64 { return i.typer }

func (i *ITS) readIdentification(n int) uint64 {
	switch {
	case n == 0:
		return uint64(i.spec.PIDR[4])
	case n < 4:
		return 0
	case n < 8:
		return uint64(i.spec.PIDR[n-4])
	}
	return uint64(cidr[n-8])
}

func (i *ITS) readCtlr() uint64 {
	v := gic.GITS_CTLR_Enabled.Put(0, bits.Flag(i.enabled))
	return gic.GITS_CTLR_Quiescent.Put(v, bits.Flag(!i.Busy()))
}

// writeCtlr changes neither pointer: a queue goes on where it has stopped.
func (i *ITS) writeCtlr(v uint64) {
	enabled := gic.GITS_CTLR_Enabled.Is(v)
	if enabled && !i.enabled {
		i.forgetAll()
		i.mind("GITS_CTLR", i.missing())
	}
	i.enabled = enabled
	i.consume()
}

// missing is what there is no table or queue for, "" if there are all that software needs.
func (i *ITS) missing() string {
	switch {
	case i.queueSize() == 0:
		return "enabled without a command queue"
	case !gic.GITS_BASER_Valid.Is(i.baser[deviceTable]):
		return "enabled without a device table"
	case !gic.GITS_BASER_Valid.Is(i.baser[collectionTable]) && i.spec.HCC == 0:
		return "enabled without a collection table"
	}
	return ""
}

// locked reports whether the registers that describe tables and the queue must not be written, and minds it.
func (i *ITS) locked(register string) bool {
	switch {
	case i.enabled:
		i.mind(register, "written while the ITS is enabled")
	case i.Busy():
		i.mind(register, "written before the ITS is quiescent")
	default:
		return false
	}
	return true
}

// cbaserBits are the bits of GITS_CBASER that exist.
const cbaserBits = uint64(gic.GITS_CBASER_Size | gic.GITS_CBASER_Shareability | gic.GITS_CBASER_Physical_Address |
	gic.GITS_CBASER_OuterCache | gic.GITS_CBASER_InnerCache | gic.GITS_CBASER_Valid)

func (i *ITS) readCbaser() uint64 { return i.cbaser }

// writeCbaser also sends the reader back to the queue's begin.
func (i *ITS) writeCbaser(v, mask uint64) {
	if i.locked("GITS_CBASER") {
		return
	}
	i.cbaser = (i.cbaser&^mask | v) & cbaserBits
	i.creadr, i.stalled, i.done = 0, false, 0
	if i.cbaser&uint64(gic.GITS_CBASER_Physical_Address)%queueAlign != 0 {
		i.mind("GITS_CBASER", "the queue is not aligned to 64 KiB: bits 15 to 12 of its address count as 0")
	}
}

func (i *ITS) readCwriter() uint64 { return i.cwriter }

func (i *ITS) writeCwriter(v, mask uint64) {
	i.cwriter = (i.cwriter&^mask | v) & uint64(gic.GITS_CWRITER_Offset)
	if i.stalled && gic.GITS_CWRITER_Retry.Is(v) {
		i.stalled = false
	}
	if size := i.queueSize(); i.cwriter >= size && size != 0 {
		i.mind("GITS_CWRITER", "beyond the end of the queue: nothing is processed")
	}
	i.consume()
}

func (i *ITS) readCreadr() uint64 { return gic.GITS_CREADR_Stalled.Put(i.creadr, bits.Flag(i.stalled)) }

// writeCreadr is for software that restores the ITS's state.
func (i *ITS) writeCreadr(v, mask uint64) {
	if !i.spec.DS || i.enabled {
		i.mind("GITS_CREADR", "written, but read-only")
		return
	}
	if i.locked("GITS_CREADR") {
		return
	}
	i.creadr = (i.creadr&^mask | v) & uint64(gic.GITS_CREADR_Offset)
}

// baserFixed are the bits of GITS_BASER that are read-only.
const baserFixed = uint64(gic.GITS_BASER_Type | gic.GITS_BASER_Entry_Size)

// entrySize is the size of the entries of the device and the collection table in bytes.
const entrySize = 8

// fixed is what the read-only fields of a GITS_BASER read as.
func fixed(table int) uint64 {
	kind := gic.NoTable
	switch table {
	case deviceTable:
		kind = gic.DeviceTable
	case collectionTable:
		kind = gic.CollectionTable
	default:
		return 0
	}
	return gic.GITS_BASER_Entry_Size.Put(gic.GITS_BASER_Type.Put(0, uint64(kind)), entrySize-1)
}

// baserBits are the bits of GITS_BASER that can be written.
func (i *ITS) baserBits(table int) uint64 {
	switch {
	case table > collectionTable:
		return 0
	case i.spec.Indirect:
		return ^baserFixed
	}
	return ^(baserFixed | uint64(gic.GITS_BASER_Indirect))
}

// resetBaser is the value of a GITS_BASER at reset: pages of 64 KiB, and no table.
func (i *ITS) resetBaser(table int) uint64 {
	return gic.GITS_BASER_Page_Size.Put(0, uint64(gic.Page64K)) & i.baserBits(table)
}

func (i *ITS) readBaser(table int) uint64 { return i.baser[table] | fixed(table) }

func (i *ITS) writeBaser(table int, v, mask uint64) {
	if bits := i.baserBits(table); bits != 0 && !i.locked("GITS_BASER") {
		i.baser[table] = (i.baser[table]&^mask | v) & bits
	}
}
