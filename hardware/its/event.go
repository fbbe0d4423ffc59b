package its

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An Event is something wrong that software, or a device, has done.
type Event struct {
	At       sim.Time
	Register string // of the access, "" for a command or a message
	What     string // of the access
	Message  bool   // of a device; Command is the INT that does the same
	Offset   uint64 // of the command in the queue
	Command  gic.ITSCommand
	Opcode   gic.ITSOpcode
	Reason   Reason
	About    uint64 // the number that is wrong, or the address
}

// Reason is why a command or a message has failed.
type Reason uint8

const (
	noReason Reason = iota
	disabled
	deviceOutOfRange
	unmappedDevice
	sizeOutOfRange
	eventOutOfRange
	unmappedEvent
	intidOutOfRange
	collectionOutOfRange
	unmappedCollection
	redistributorOutOfRange
	noRedistributor
	unknownCommand
	virtualCommand
	accessFault
)

// String says what is wrong with what the event is about.
func (r Reason) String() string {
	return [...]string{
		"nothing", "the ITS is disabled", "the device table has no entry for device", "unmapped device",
		"too many bits of an EventID, minus one:", "event out of the device's range:", "unmapped event", "no LPI:",
		"no entry for collection", "unmapped collection", "no redistributor has the number",
		"no redistributor is at the address", "unknown command", "command of GICv4", "no memory at",
	}[r]
}

// Number is the manual's number of the error, 0 if it has none. IHI 0069, 5.3.
func (e *Event) Number() gic.ITSError {
	if e.Message || e.Register != "" {
		return 0
	}
	return numbers[e.Opcode][e.Reason]
}

// mapped are the reasons for which an event is no interrupt.
func mapped(n gic.ITSError) map[Reason]gic.ITSError {
	return map[Reason]gic.ITSError{
		deviceOutOfRange: n, unmappedDevice: n, eventOutOfRange: n, unmappedEvent: n, collectionOutOfRange: n,
		unmappedCollection: n,
	}
}

// numbers are the errors by what is wrong.
var numbers = map[gic.ITSOpcode]map[Reason]gic.ITSError{
	gic.MOVI: {
		deviceOutOfRange: gic.MOVI_UNMAPPED_INTERRUPT, unmappedDevice: gic.MOVI_UNMAPPED_INTERRUPT,
		eventOutOfRange: gic.MOVI_UNMAPPED_INTERRUPT, unmappedEvent: gic.MOVI_UNMAPPED_INTERRUPT,
		collectionOutOfRange: gic.MOVI_UNMAPPED_COLLECTION, unmappedCollection: gic.MOVI_UNMAPPED_COLLECTION,
	},
	gic.INT:     mapped(gic.INT_UNMAPPED_INTERRUPT),
	gic.CLEAR:   mapped(gic.CLEAR_UNMAPPED_INTERRUPT),
	gic.INV:     mapped(gic.INV_UNMAPPED_INTERRUPT),
	gic.DISCARD: mapped(gic.DISCARD_UNMAPPED_INTERRUPT),
	gic.MAPD:    {deviceOutOfRange: gic.MAPD_DEVICE_OOR, sizeOutOfRange: gic.MAPD_ITTSIZE_OOR},
	gic.MAPC: {
		collectionOutOfRange: gic.MAPC_COLLECTION_OOR, redistributorOutOfRange: gic.MAPC_PROCNUM_OOR,
	},
	gic.MAPTI: mappings,
	gic.MAPI:  mappings,
	gic.INVALL: {
		collectionOutOfRange: gic.INVALL_UNMAPPED_COLLECTION, unmappedCollection: gic.INVALL_UNMAPPED_COLLECTION,
	},
	gic.MOVALL: {redistributorOutOfRange: gic.MOVALL_PROCNUM_OOR},
}

var mappings = map[Reason]gic.ITSError{
	deviceOutOfRange: gic.MAPTI_UNMAPPED_DEVICE, unmappedDevice: gic.MAPTI_UNMAPPED_DEVICE,
	eventOutOfRange: gic.MAPTI_ID_OOR, intidOutOfRange: gic.MAPTI_PHYSICALID_OOR,
}

// maxEvents is the number of events that are kept; later ones are counted.
const maxEvents = 1000

// Events are the events so far, the first of them, and how many came later.
func (i *ITS) Events() (list []Event, more uint64) { return i.events, i.lost }

// note keeps an event.
func (i *ITS) note(e Event) {
	if i.eng.Tracing {
		i.trace(e.At, "%s", e.String())
	}
	if len(i.events) == maxEvents {
		i.lost++
		return
	}
	i.events = append(i.events, e)
}

// mind notes what software did to a register, unless that is nothing. What follows is UNPREDICTABLE.
func (i *ITS) mind(register, what string) {
	if what == "" {
		return
	}
	i.note(Event{At: i.eng.Now(), Register: register, What: what})
	i.eng.Remark(sim.Remark{
		At: i.eng.Now(), Source: i.ports.Master.Name, Register: register, What: what, Unpredictable: true,
	})
}

// String is the event without its time.
func (e *Event) String() string {
	if e.Register != "" {
		return e.Register + ": " + e.What
	}
	who := fmt.Sprintf("command at 0x%x: %s", e.Offset, DescribeCommand(e.Command))
	if e.Message {
		who = fmt.Sprintf("message DeviceID=0x%x EventID=0x%x", gic.ITS_CMD_0_DeviceID.Get(e.Command[0]),
			gic.ITS_CMD_1_EventID.Get(e.Command[1]))
	}
	what := e.Reason.String()
	switch e.Reason {
	case unknownCommand: // so it is described already
		return who
	case disabled:
	default:
		what += fmt.Sprintf(" 0x%x", e.About)
	}
	if n := e.Number(); n != 0 {
		name, _ := gic.Registers.Decode("ITS_ERROR", uint64(n))
		what += fmt.Sprintf(" (0x%06x %s)", uint32(n), name)
	}
	return who + ": " + what
}

// opcodeName is the name of a command; ok is false if there is none.
func opcodeName(op gic.ITSOpcode) (name string, ok bool) {
	r, _ := gic.Registers.Lookup("ITS_CMD_0")
	for _, f := range r.Fields {
		for _, v := range f.Values {
			if f.Name == "Opcode" && v.Value == uint64(op) {
				return v.Name, true
			}
		}
	}
	return "", false
}

// commandField is a field of a command with the word that it is in.
type commandField struct {
	name  string
	word  int
	field bits.Field
	shift int // of what is shown
}

var (
	deviceField = commandField{"DeviceID", 0, gic.ITS_CMD_0_DeviceID, 0}
	eventField  = commandField{"EventID", 1, gic.ITS_CMD_1_EventID, 0}
	icidField   = commandField{"ICID", 2, gic.ITS_CMD_2_ICID, 0}
	rdField     = commandField{"RDbase", 2, gic.ITS_CMD_2_RDbase, 0}
	validField  = commandField{"V", 2, gic.ITS_CMD_2_V, 0}
	vpeField    = commandField{"vPEID", 1, gic.ITS_VCMD_1_vPEID, 0}
)

// commandFields are the fields of each command, as far as they are decoded. IHI 0069, 5.3.
var commandFields = map[gic.ITSOpcode][]commandField{
	gic.MOVI:  {deviceField, eventField, icidField},
	gic.INT:   {deviceField, eventField},
	gic.CLEAR: {deviceField, eventField},
	gic.SYNC:  {rdField},
	gic.MAPD: {
		deviceField, {"Size", 1, gic.ITS_MAPD_1_Size, 0},
		{"ITTaddr", 2, gic.ITS_MAPD_2_ITTaddr, gic.ITS_MAPD_2_ITTaddr.Shift()}, validField,
	},
	gic.MAPC:    {icidField, rdField, validField},
	gic.MAPTI:   {deviceField, eventField, {"pINTID", 1, gic.ITS_CMD_1_pINTID, 0}, icidField},
	gic.MAPI:    {deviceField, eventField, icidField},
	gic.INV:     {deviceField, eventField},
	gic.INVALL:  {icidField},
	gic.MOVALL:  {rdField, {"RDbase2", 3, gic.ITS_CMD_3_RDbase2, 0}},
	gic.DISCARD: {deviceField, eventField},
	gic.VMOVI:   {deviceField, eventField, vpeField, {"Doorbell", 2, gic.ITS_VCMD_2_Doorbell, 0}},
	gic.VMOVP: {
		{"Sequence_Number", 0, gic.ITS_VMOVP_0_Sequence_Number, 0}, {"ITSList", 1, gic.ITS_VMOVP_1_ITSList, 0},
		vpeField, rdField,
	},
	gic.VSGI:    {vpeField},
	gic.VSYNC:   {vpeField},
	gic.VMAPP:   {vpeField, rdField, validField},
	gic.VMAPTI:  {deviceField, eventField, vpeField, {"Doorbell", 2, gic.ITS_VCMD_2_Doorbell, 0}},
	gic.VMAPI:   {deviceField, eventField, vpeField, {"Doorbell", 2, gic.ITS_VCMD_2_Doorbell, 0}},
	gic.VINVALL: {vpeField},
	gic.INVDB:   {vpeField},
}

// DescribeCommand is a command with its fields: "MAPC ICID=0x1 RDbase=0x3 V=0x1".
func DescribeCommand(c gic.ITSCommand) string {
	op := gic.ITSOpcode(gic.ITS_CMD_0_Opcode.Get(c[0]))
	text, known := opcodeName(op)
	if !known {
		return fmt.Sprintf("unknown command 0x%02x", uint8(op))
	}
	for _, f := range commandFields[op] {
		text += fmt.Sprintf(" %s=0x%x", f.name, f.field.Get(c[f.word])<<f.shift)
	}
	return text
}
