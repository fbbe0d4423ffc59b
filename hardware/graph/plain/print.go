package plain

import (
	"fmt"
	"slices"
	"strings"
)

// String writes a program so that Parse reads the same one.
func (p *Program) String() string {
	var b strings.Builder
	for _, c := range p.Cells {
		word := "cell"
		if c.Device {
			word = "device"
		}
		fmt.Fprintf(&b, "%s %s %d\n", word, c.Name, c.Init)
	}
	for t := range p.Threads {
		b.WriteString("thread\n")
		p.printCode(&b, p.Threads[t].Code)
		for _, h := range p.Threads[t].Handlers {
			fmt.Fprintf(&b, "handler %d\n", h.INTID)
			p.printCode(&b, h.Code)
		}
	}
	return b.String()
}

func (p *Program) printCode(b *strings.Builder, code []Instr) {
	for i := 0; i <= len(code); i++ {
		for j := 0; j < i; j++ {
			if op := code[j].Op; (op == Cbz || op == Cbnz || op == Branch) && code[j].Target == i {
				fmt.Fprintf(b, "l%d:\n", i)
				break
			}
		}
		if i < len(code) {
			fmt.Fprintf(b, "  %s\n", p.instruction(&code[i]))
		}
	}
}

func (p *Program) instruction(in *Instr) string {
	switch in.Op {
	case Isb, Mask, Unmask, Sev, Wfe, FenceTSO:
		for _, name := range []string{"isb", "mask", "unmask", "sev", "wfe", "fence.tso"} {
			if simple[name] == in.Op {
				return name
			}
		}
	case Mov:
		return fmt.Sprintf("mov %s, %v", registerName(in.Rd), in.A)
	case Add, Sub, Eor, And, Orr, Eq, Ne, Ge:
		return fmt.Sprintf("%s %s, %v, %v", computations[in.Op-Mov], registerName(in.Rd), in.A, in.B)
	case Branch:
		return fmt.Sprintf("b l%d", in.Target)
	case Cbz:
		return fmt.Sprintf("cbz %v, l%d", in.A, in.Target)
	case Cbnz:
		return fmt.Sprintf("cbnz %v, l%d", in.A, in.Target)
	case Dmb:
		return "dmb " + barrierOption(in)
	case Dsb:
		return "dsb " + barrierOption(in)
	case Fence:
		return fmt.Sprintf("fence %v, %v", in.Pred, in.Succ)
	case Sgi:
		return fmt.Sprintf("sgi %d, %d", in.Target, in.INTID)
	case Ring:
		return fmt.Sprintf("ring %d, %d", in.Target, in.INTID)
	}
	return p.accessText(in)
}

func (p *Program) accessText(in *Instr) string {
	name, rd, at := "", registerName(in.Rd), p.addressText(&in.Addr)
	for _, a := range slices.Concat(accesses, accessesRISCV) {
		if a.op == in.Op && a.a == in.Acquire && a.q == in.AcqPC && a.l == in.Release {
			name = fmt.Sprintf("%s.%d", a.name, in.Size)
		}
	}
	switch in.Op {
	case Load, LoadExclusive, LoadReserved:
		return fmt.Sprintf("%s %s, %s", name, rd, at)
	case Store:
		return fmt.Sprintf("%s %v, %s", name, in.A, at)
	case Cas:
		return fmt.Sprintf("%s %s, %v, %v, %s", name, rd, in.A, in.B, at)
	case Wait:
		text := fmt.Sprintf("%s %s, %s, %s, %v", name, rd, at, testNames[in.Test], in.A)
		if in.Passed >= 0 {
			text += ", " + registerName(in.Passed)
		}
		return text
	default:
		return fmt.Sprintf("%s %s, %v, %s", name, rd, in.A, at)
	}
}

func (p *Program) addressText(a *Address) string {
	text := "[" + p.Cells[a.Cell].Name
	if a.Off != 0 {
		text += fmt.Sprintf("+%d", a.Off)
	}
	if a.Reg >= 0 {
		text += "+" + registerName(a.Reg)
	}
	return text + "]"
}

func barrierOption(in *Instr) string {
	kind := ""
	if !in.Stores {
		kind = "ld"
	}
	if !in.Loads {
		kind = "st"
	}
	return domainNames[in.Domain] + kind
}

func registerName(r int) string {
	if r == ZR {
		return "zr"
	}
	return fmt.Sprintf("r%d", r)
}

// String writes an operand as Parse reads it.
func (o Operand) String() string {
	if o.Reg >= 0 {
		return registerName(o.Reg)
	}
	return fmt.Sprint(o.Imm)
}
