package riscv

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// dumped are the CSRs that Dump prints.
var dumped = [...]bits.SysReg{rv.MHARTID, rv.SATP, rv.SSTATUS, rv.MSTATUS, rv.MIE, rv.MIP, rv.SCAUSE, rv.STVAL}

// Dump prints the CPU's state and the hart's CSRs, decoded. Times count from epoch.
func (h *Hart) Dump(w io.Writer, epoch sim.Time) {
	h.CPU.Dump(w, epoch)
	for _, r := range dumped {
		v, _ := h.readCSR(r)
		name, fields := DecodeCSR(r, v)
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-16s %s  %s", name, bits.Hex(v), fields), " "))
	}
}

// State is cpu.Architecture.
func (h *Hart) State(line func(name, format string, args ...any)) {
	line("mode", "%s", h.Privilege())
}

// DumpTLB prints what the translation caches hold, one entry a line:
//
//	dtlb  0x0000_4000_0000  4K  asid 5    -> 0x8000_1000  rw-/---  DA
func (h *Hart) DumpTLB(w io.Writer) {
	for _, c := range [...]struct {
		name string
		t    *tlb
	}{{"itlb", &h.itlb}, {"dtlb", &h.dtlb}, {"joint", &h.joint}, {"walks", &h.walks}} {
		for i := range c.t.entries {
			if e := &c.t.entries[i]; e.valid {
				fmt.Fprintf(w, "%-5s  %s\n", c.name, e)
			}
		}
	}
}

var sizeNames = map[uint8]string{12: "4K", 16: "64K", 21: "2M", 30: "1G", 39: "512G", 48: "256T"}

// String is the entry as a line of DumpTLB.
func (e *entry) String() string {
	space := fmt.Sprintf("asid %d", e.asid)
	if e.global {
		space = "global"
	}
	to := "invalid"
	switch e.kind {
	case mmu.Table:
		to = "table at " + bits.Hex(e.out)
	case mmu.Leaf:
		to = fmt.Sprintf("%s  %s  %s", bits.Hex(e.out), e.perm, flagNames(e.pte))
	}
	return fmt.Sprintf("%s  %-4s  %-10s -> %s", bits.Hex(e.page<<e.shift), sizeNames[e.shift], space, to)
}

func flagNames(pte uint64) string {
	text := ""
	for _, f := range [...]struct {
		field bits.Field
		name  string
	}{{rv.PTE_D, "D"}, {rv.PTE_A, "A"}, {rv.PTE_U, "U"}, {rv.PTE_G, "G"}} {
		if f.field.Is(pte) {
			text += f.name
		} else {
			text += "-"
		}
	}
	return text
}
