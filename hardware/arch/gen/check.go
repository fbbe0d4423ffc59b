package main

import (
	"errors"
	"fmt"
	"go/token"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The three forms with which a comment repeats what the code says, so that each checks the other.
var (
	fieldForm  = regexp.MustCompile(`^\[(\d+)(?::(\d+))?\] (\S.*\.)$`)
	arrayForm  = regexp.MustCompile(`^\[(\d+) x (\d+)\] (\S.*\.)$`)
	sysregForm = regexp.MustCompile(`^\[(\d+),(\d+),(\d+),(\d+),(\d+)\] (\S.*\.)$`)
	csrForm    = regexp.MustCompile(`^\[0x([0-9a-f]+)\] (\S.*\.)$`)
	valuesForm = regexp.MustCompile(`; (\w+)\.$`)
)

// check holds the declarations to the rules, and completes them from the comments: every register and field has a
// comment; a field's says the bits that its mask has; a system register's says its encoding; the fields of a
// register do not overlap.
func (m *manual) check() error {
	slices.SortStableFunc(m.registers, func(a, b *register) int { return strings.Compare(a.name, b.name) })
	for i, r := range m.registers {
		if i > 0 && r.name == m.registers[i-1].name {
			m.problem(r.pos, "%s is declared twice", r.name)
		}
		m.checkRegister(r)
	}
	for _, f := range m.fields {
		m.checkField(f)
		m.assign(f)
	}
	for _, r := range m.registers {
		slices.SortStableFunc(r.fields, func(a, b *field) int { return bits.Len64(b.mask) - bits.Len64(a.mask) })
		for i := 1; i < len(r.fields); i++ {
			if a, b := r.fields[i-1], r.fields[i]; a.mask&b.mask != 0 {
				m.problem(b.pos, "%s overlaps %s", b.name, a.name)
			}
		}
	}
	return errors.Join(m.problems...)
}

func (m *manual) problem(pos token.Pos, format string, args ...any) {
	m.problems = append(m.problems, fmt.Errorf("%s: %s", m.fset.Position(pos), fmt.Sprintf(format, args...)))
}

func (m *manual) checkRegister(r *register) {
	if r.doc == "" {
		m.problem(r.pos, "%s has no comment", r.name)
		return
	}
	if r.where == inSystem {
		m.checkSystem(r)
		return
	}
	if part := arrayForm.FindStringSubmatch(r.doc); part != nil {
		r.count, r.stride, r.doc = atoi(part[1]), atoi(part[2]), part[3]
	}
	if strings.HasPrefix(r.doc, "[") || !strings.HasSuffix(r.doc, ".") {
		m.problem(r.pos, "%s: want a comment of the form \"Text.\" or \"[count x bytes] Text.\"", r.name)
	}
}

func (m *manual) checkSystem(r *register) {
	if part := csrForm.FindStringSubmatch(r.doc); part != nil {
		if n, _ := strconv.ParseUint(part[1], 16, 16); n != r.addr {
			m.problem(r.pos, "%s is %#x, its comment says %#x", r.name, r.addr, n)
		}
		r.doc = part[2]
		return
	}
	part := sysregForm.FindStringSubmatch(r.doc)
	if part == nil {
		m.problem(r.pos, "%s: want a comment of the form \"[op0,op1,CRn,CRm,op2] Text.\" or \"[0xCSR] Text.\"", r.name)
		return
	}
	said := atoi(part[1])<<14 | atoi(part[2])<<11 | atoi(part[3])<<7 | atoi(part[4])<<3 | atoi(part[5])
	if uint64(said) != r.addr {
		m.problem(r.pos, "%s is %#x, its comment says %#x", r.name, r.addr, said)
	}
	r.doc = part[6]
}

func (m *manual) checkField(f *field) {
	part := fieldForm.FindStringSubmatch(f.doc)
	if part == nil {
		m.problem(f.pos, "%s: want a comment of the form \"[hi:lo] Text.\"", f.name)
		return
	}
	hi := atoi(part[1])
	lo := hi
	if part[2] != "" {
		lo = atoi(part[2])
	}
	said := uint64(0)
	if hi < 64 && lo <= hi {
		said = ^uint64(0) >> (63 - hi) &^ (1<<lo - 1)
	}
	if said == 0 || said != f.mask {
		m.problem(f.pos, "%s has the mask %#x, its comment says [%s:%d] = %#x", f.name, f.mask, part[1], lo, said)
	}
	f.doc = part[3]
}

// assign gives a field to the register with the longest name in front of its own. A field that no register claims
// belongs to a word of an entry in memory, named by all before the last underscore.
func (m *manual) assign(f *field) {
	var owner *register
	for _, r := range m.registers {
		if strings.HasPrefix(f.name, r.name+"_") && (owner == nil || len(r.name) > len(owner.name)) {
			owner = r
		}
	}
	if owner == nil {
		cut := strings.LastIndexByte(f.name, '_')
		if cut <= 0 {
			m.problem(f.pos, "%s: a field is named REGISTER_Field", f.name)
			return
		}
		owner = &register{name: f.name[:cut], where: inMemory, count: 1, stride: 8, pos: f.pos}
		m.registers = append(m.registers, owner)
		slices.SortStableFunc(m.registers, func(a, b *register) int { return strings.Compare(a.name, b.name) })
	}
	f.reg = owner
	owner.fields = append(owner.fields, f)
}

// valuesOf finds the named values of a field: its comment ends in the name of their type.
func (m *manual) valuesOf(f *field) []value {
	part := valuesForm.FindStringSubmatch(f.doc)
	if part == nil {
		return nil
	}
	values := slices.Clone(m.values[part[1]])
	slices.SortStableFunc(values, func(a, b value) int { return int(a.v) - int(b.v) })
	return values
}

// atoi converts what a pattern has recognised as digits.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
