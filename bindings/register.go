package bindings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/host/api"
)

// A registerTable is a table of an arch package, or the part of it whose names begin with a prefix, with the heading
// under which help lists it.
type registerTable struct {
	title, doc, prefix string
	table              bits.Table
}

// registerTopics makes the registers known to help.
func registerTopics() []*api.Topics {
	var all []*api.Topics
	for _, t := range registerTables {
		topics := &api.Topics{Title: t.title, Doc: t.doc}
		for i := range t.table {
			if name := t.table[i].Name; strings.HasPrefix(name, t.prefix) {
				topics.Names = append(topics.Names, name)
			}
		}
		topics.Find = func(name string) *api.Topic {
			r, ok := t.table.Lookup(name)
			if !ok || !strings.HasPrefix(name, t.prefix) {
				return nil
			}
			return registerTopic(name, r)
		}
		all = append(all, topics)
	}
	return all
}

// registerTopic describes a register: where it is, and its fields from the highest bit down.
func registerTopic(name string, r *bits.Register) *api.Topic {
	t := &api.Topic{Name: name, Doc: r.Doc, Details: []string{registerPlace(name, r)}}
	if len(r.Fields) == 0 {
		return t
	}
	t.Columns = []string{"bits", "field", "meaning"}
	for i := range r.Fields {
		f := &r.Fields[i]
		meaning := f.Doc
		for j, v := range f.Values {
			meaning += choose(j == 0, " Values: ", ", ") + fmt.Sprintf("%d %s", v.Value, v.Name)
		}
		if len(f.Values) > 0 {
			meaning += "."
		}
		t.Rows = append(t.Rows, []string{bitRange(f.Mask), f.Name, meaning})
	}
	return t
}

func registerPlace(name string, r *bits.Register) string {
	frame, _, _ := strings.Cut(name, "_")
	switch {
	case r.Where == bits.InSystem:
		s := uint64(r.Addr)
		return fmt.Sprintf("System register, op0=%d op1=%d CRn=%d CRm=%d op2=%d.", bits.SysRegOp0.Get(s),
			bits.SysRegOp1.Get(s), bits.SysRegCRn.Get(s), bits.SysRegCRm.Get(s), bits.SysRegOp2.Get(s))
	case r.Where == bits.InMemory:
		return "A word of an entry in memory."
	case r.Name != name: // a member of an array
		n, _ := strconv.ParseUint(strings.TrimPrefix(name, r.Name), 10, 64)
		return fmt.Sprintf("%d bits, at offset 0x%04x of %s.", 8*r.Stride, r.Addr+n*uint64(r.Stride), frame)
	case r.Count > 1:
		return fmt.Sprintf("%d registers of %d bits, %s0 to %s%d, from offset 0x%04x of %s.", r.Count, 8*r.Stride, name, name,
			r.Count-1, r.Addr, frame)
	}
	return fmt.Sprintf("%d bits, at offset 0x%04x of %s.", 8*r.Stride, r.Addr, frame)
}

// bitRange is a field's place, as in "[55:48]" and "[40]".
func bitRange(mask bits.Field) string {
	lo := mask.Shift()
	if mask.Width() == 1 {
		return fmt.Sprintf("[%d]", lo)
	}
	return fmt.Sprintf("[%d:%d]", lo+mask.Width()-1, lo)
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// findRegister finds a register of any table.
func findRegister(name string) (*bits.Register, bool) {
	for _, t := range registerTables {
		if r, ok := t.table.Lookup(name); ok {
			return r, true
		}
	}
	return nil, false
}

// registerNames lists the registers whose names begin with a prefix; of an array, the array's name.
func registerNames(prefix string) []string {
	var names []string
	for _, t := range registerTables {
		for i := range t.table {
			if name := t.table[i].Name; strings.HasPrefix(name, prefix) && strings.HasPrefix(name, t.prefix) {
				names = append(names, name)
			}
		}
	}
	return names
}

// A DecodedRegister is a value of a register, taken apart.
type DecodedRegister struct {
	Name   string
	Value  uint64
	Doc    string
	Fields []DecodedField // from the highest bit down
	Rest   uint64         // bits of the value outside all fields
}

// A DecodedField is one field of a value.
type DecodedField struct {
	Name   string
	Hi, Lo int
	Value  uint64
	Word   string // the value's name in the manual, if it has one
	Doc    string
}

// Decode takes a value of a register apart. The error says which register was probably meant, or what does not fit.
func Decode(name string, value uint64) (*DecodedRegister, error) {
	r, ok := findRegister(name)
	if !ok {
		return nil, unknownRegister(name, "")
	}
	if r.Where == bits.InFrame && r.Stride == 4 && value>>32 != 0 {
		return nil, fmt.Errorf("%s has 32 bits: 0x%x does not fit", name, value)
	}
	d := &DecodedRegister{Name: name, Value: value, Doc: r.Doc, Rest: value}
	for i := range r.Fields {
		f := &r.Fields[i]
		field := DecodedField{
			Name: f.Name, Lo: f.Mask.Shift(), Hi: f.Mask.Shift() + f.Mask.Width() - 1, Value: f.Mask.Get(value), Doc: f.Doc,
		}
		for _, v := range f.Values {
			if v.Value == field.Value {
				field.Word = v.Name
			}
		}
		d.Fields = append(d.Fields, field)
		d.Rest &^= uint64(f.Mask)
	}
	return d, nil
}

// unknownRegister is the error for a name that no register has; those whose names begin with prefix may be meant.
func unknownRegister(name, prefix string) error {
	base := strings.TrimRight(name, "0123456789")
	if r, ok := findRegister(base); ok && r.Count > 1 {
		return fmt.Errorf("no register %q: %s has the members %s0 to %s%d", name, base, base, base, r.Count-1)
	}
	if s := api.Suggest(name, registerNames(prefix)); s != "" {
		return fmt.Errorf("no register %q; did you mean %q?", name, s)
	}
	return fmt.Errorf("no register %q", name)
}

// String is the value and one line for each field: place, name, value, meaning.
func (d *DecodedRegister) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s  %s", d.Name, api.U64Value(d.Value), d.Doc)
	name, value := len("reserved"), 0
	for _, f := range d.Fields {
		name, value = max(name, len(f.Name)), max(value, len(f.text()))
	}
	for _, f := range d.Fields {
		place := bitRange(bits.Field(1<<(f.Hi-f.Lo)<<1-1) << f.Lo)
		fmt.Fprintf(&b, "\n%-7s  %-*s  %-*s  %s", place, name, f.Name, value, f.text(), f.Doc)
	}
	if d.Rest != 0 && len(d.Fields) > 0 {
		fmt.Fprintf(&b, "\n%-7s  %-*s  %s  bits outside all fields", "", name, "reserved", api.U64Value(d.Rest))
	}
	return b.String()
}

// text is the field's value: in words if the manual names it, in decimal if it is short.
func (f *DecodedField) text() string {
	text := strconv.FormatUint(f.Value, 10)
	if f.Value >= 10 {
		text = api.U64Value(f.Value).String()
	}
	if f.Word != "" {
		text += " " + f.Word
	}
	return text
}
