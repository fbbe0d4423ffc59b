package bits

import (
	"sort"
	"strconv"
	"strings"
)

// Table is what an arch package knows about its registers, ordered by name. It is generated from the declarations
// (fields_gen.go), so nothing about a register is typed twice.
type Table []Register

// Register describes one register, one array of registers, or one word of an entry in memory.
type Register struct {
	Name   string
	Where  Where
	Addr   uint64 // offset in its frame, or system register encoding
	Count  int    // registers in the array; 1 for a single register
	Stride int    // bytes from one register of the array to the next
	Doc    string
	Fields []FieldInfo // from the highest bit down
}

// Where says what a Register's Addr means.
type Where uint8

const (
	InFrame  Where = iota // an offset from the base of a register frame
	InSystem              // a SysReg encoding
	InMemory              // a word of an entry in memory; Addr has no meaning
)

// FieldInfo describes one field of a Register.
type FieldInfo struct {
	Name   string // without the register's name in front
	Mask   Field
	Doc    string
	Values []ValueInfo // named values, in ascending order; often none
}

// ValueInfo names one value of a field.
type ValueInfo struct {
	Name  string
	Value uint64
}

// Lookup finds a register by name; the members of an array are known by the array's name followed by their number,
// as in GICD_ISENABLER3.
func (t Table) Lookup(name string) (*Register, bool) {
	if r, ok := t.find(name); ok {
		return r, true
	}
	base := strings.TrimRight(name, "0123456789")
	r, ok := t.find(base)
	if !ok || base == name {
		return nil, false
	}
	n, err := strconv.Atoi(name[len(base):])
	return r, err == nil && n < r.Count
}

func (t Table) find(name string) (*Register, bool) {
	i := sort.Search(len(t), func(i int) bool { return t[i].Name >= name })
	if i < len(t) && t[i].Name == name {
		return &t[i], true
	}
	return nil, false
}

// At names the register at an offset of a frame; the frame is the first part of its registers' names, as in GICD.
func (t Table) At(frame string, off uint64) (string, bool) {
	prefix := frame + "_"
	first := sort.Search(len(t), func(i int) bool { return t[i].Name >= prefix })
	for i := first; i < len(t) && strings.HasPrefix(t[i].Name, prefix); i++ {
		r := &t[i]
		if r.Where != InFrame || off < r.Addr || off >= r.Addr+uint64(r.Count*r.Stride) {
			continue
		}
		if r.Count == 1 {
			return r.Name, true
		}
		return r.Name + strconv.FormatUint((off-r.Addr)/uint64(r.Stride), 10), true
	}
	return "", false
}

// Sys names a system register.
func (t Table) Sys(s SysReg) (string, bool) {
	for i := range t {
		if t[i].Where == InSystem && t[i].Addr == uint64(s) {
			return t[i].Name, true
		}
	}
	return "", false
}

// Decode writes the non-zero fields of a register's value, highest bit first, as in "RWP EnableGrp1 CPUNumber=3". A
// single bit appears by its name alone, a value with a name of its own by that name. Bits outside every field follow as
// "res=0x...". It reports false for an unknown register.
func (t Table) Decode(name string, v uint64) (string, bool) {
	r, ok := t.Lookup(name)
	if !ok {
		return "", false
	}
	var b strings.Builder
	rest := v
	for i := range r.Fields {
		f := &r.Fields[i]
		rest &^= uint64(f.Mask)
		if got := f.Mask.Get(v); got != 0 {
			separate(&b)
			f.write(&b, got)
		}
	}
	if rest != 0 && len(r.Fields) > 0 {
		separate(&b)
		b.WriteString("res=0x" + strconv.FormatUint(rest, 16))
	}
	return b.String(), true
}

func (f *FieldInfo) write(b *strings.Builder, v uint64) {
	b.WriteString(f.Name)
	for _, named := range f.Values {
		if named.Value == v {
			b.WriteString("=" + named.Name)
			return
		}
	}
	switch {
	case f.Mask.Width() == 1:
	case v < 10:
		b.WriteString("=" + strconv.FormatUint(v, 10))
	default:
		b.WriteString("=0x" + strconv.FormatUint(v, 16))
	}
}

// Hex writes a value as dumps and transcripts do: at least 8 digits, an underscore before every 16 bits.
func Hex(v uint64) string {
	digits := strconv.FormatUint(v, 16)
	if n := len(digits); n < 8 {
		digits = "00000000"[n:] + digits
	}
	var b strings.Builder
	b.WriteString("0x")
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%4 == 0 {
			b.WriteByte('_')
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

func separate(b *strings.Builder) {
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
}
