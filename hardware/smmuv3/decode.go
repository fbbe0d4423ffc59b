package smmuv3

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
)

// named finds the name of a value of a field.
func named(register, field string, v uint64) (string, bool) {
	r, ok := smmu.Registers.Lookup(register)
	if !ok {
		panic("BUG: no word " + register)
	}
	for i := range r.Fields {
		if r.Fields[i].Name != field {
			continue
		}
		for _, n := range r.Fields[i].Values {
			if n.Value == v {
				return n.Name, true
			}
		}
	}
	return "", false
}

// commandWords are the words by which a command is taken apart.
func commandWords(op smmu.Opcode) (first, second string) {
	switch {
	case tlbi(op):
		return "CMD_TLBI0", "CMD_TLBI1"
	case op == smmu.CMD_CFGI_STE_RANGE:
		return "CMD0", "CMD_CFGI_RANGE1"
	case cfgi(op):
		return "CMD0", "CMD_CFGI1"
	}
	switch op {
	case smmu.CMD_PREFETCH_CONFIG, smmu.CMD_PREFETCH_ADDR:
		return "CMD0", "CMD_PREFETCH1"
	case smmu.CMD_ATC_INV:
		return "CMD0", "CMD_ATC_INV1"
	case smmu.CMD_PRI_RESP:
		return "CMD0", "CMD_PRI_RESP1"
	case smmu.CMD_RESUME:
		return "CMD_RESUME0", "CMD_RESUME1"
	case smmu.CMD_SYNC:
		return "CMD_SYNC0", "CMD_SYNC1"
	}
	return "CMD0", ""
}

// DecodeCommand writes a command with the fields that are not 0: "CMD_SYNC CS=SIG_IRQ MSH=InnerShareable MSIATTR=0xf".
// Bits that have no meaning follow as res0 and res1, by word.
func DecodeCommand(d0, d1 uint64) string {
	op := smmu.Opcode(smmu.CMD0_Opcode.Get(d0))
	name, ok := named("CMD0", "Opcode", uint64(op))
	if !ok {
		return fmt.Sprintf("unknown opcode 0x%02x, words 0x%x 0x%x", uint8(op), d0, d1)
	}
	if op == smmu.CMD_CFGI_STE_RANGE && smmu.RangeLog2(smmu.CMD_CFGI_RANGE1_Range.Get(d1)) == smmu.RangeAll {
		name = "CMD_CFGI_ALL"
	}
	first, second := commandWords(op)
	var b strings.Builder
	b.WriteString(name)
	low := d0 &^ uint64(smmu.CMD0_Opcode)
	switch {
	case op == smmu.CMD_RESUME:
		appendFields(&b, "CMD0", low&uint64(smmu.CMD0_StreamID|smmu.CMD0_SSec), "")
		low &^= uint64(smmu.CMD0_StreamID | smmu.CMD0_SSec)
	case op == smmu.CMD_ATC_INV && smmu.CMD_ATC_INV0_Global.Is(d0):
		b.WriteString(" Global")
		low &^= uint64(smmu.CMD_ATC_INV0_Global)
	}
	appendFields(&b, first, low, "res0")
	if second != "" {
		appendFields(&b, second, d1, "res1")
	} else if d1 != 0 {
		fmt.Fprintf(&b, " res1=0x%x", d1)
	}
	return b.String()
}

// appendFields writes the fields of a word that are not 0; an address is written as an address.
func appendFields(b *strings.Builder, word string, v uint64, rest string) {
	r, ok := smmu.Registers.Lookup(word)
	if !ok {
		panic("BUG: no word " + word)
	}
	const address, page = 32, 12 // a field that is an address has more bits, and begins no higher
	for i := range r.Fields {
		f := &r.Fields[i]
		got := f.Mask.Get(v)
		v &^= uint64(f.Mask)
		name, isNamed := named(word, f.Name, got)
		switch {
		case got == 0:
		case isNamed:
			fmt.Fprintf(b, " %s=%s", f.Name, name)
		case f.Mask.Width() == 1:
			b.WriteString(" " + f.Name)
		case f.Mask.Shift() > 0 && f.Mask.Width() > address && f.Mask.Shift() <= page:
			fmt.Fprintf(b, " %s=0x%x", f.Name, got<<f.Mask.Shift())
		case got < 10:
			fmt.Fprintf(b, " %s=%d", f.Name, got)
		default:
			fmt.Fprintf(b, " %s=0x%x", f.Name, got)
		}
	}
	if v != 0 {
		fmt.Fprintf(b, " %s=0x%x", rest, v)
	}
}

// EventName is the name of an event.
func EventName(id smmu.EventID) string {
	if name, ok := named("EVT0", "ID", uint64(id)); ok {
		return name
	}
	if id == 0 {
		return "no event"
	}
	return fmt.Sprintf("event 0x%02x", uint8(id))
}

// DecodeEvent writes an event record.
func DecodeEvent(w [4]uint64) string {
	var b strings.Builder
	b.WriteString(EventName(smmu.EventID(smmu.EVT0_ID.Get(w[0]))))
	appendFields(&b, "EVT0", w[0]&^uint64(smmu.EVT0_ID), "res0")
	if smmu.EVT1_CLASS.Get(w[1]) == 0 && w[1] == 0 && w[2] == 0 && w[3] == 0 {
		return b.String()
	}
	appendFields(&b, "EVT1", w[1], "res1")
	fmt.Fprintf(&b, " InputAddr=0x%x", w[2])
	if w[3] != 0 {
		fmt.Fprintf(&b, " FetchAddr=0x%x", w[3])
	}
	return b.String()
}

// DecodePRI writes an entry of the PRI queue.
func DecodePRI(w [2]uint64) string {
	var b strings.Builder
	b.WriteString("page request")
	appendFields(&b, "PRI0", w[0], "res0")
	appendFields(&b, "PRI1", w[1], "res1")
	return b.String()
}

// register decodes a register's value, as dumps print it.
func register(name string, v uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %s ", name, bits.Hex(v))
	appendFields(&b, name, v, "res")
	return b.String()
}
