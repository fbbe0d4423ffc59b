package riscv_test

import (
	"fmt"
	"os"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/riscv"
	"github.com/hwscript/hwscript/hardware/sim"
)

// mapped is a program that maps a page anew and forgets the fence, then makes one of the wrong form, then the right
// one.
type mapped struct {
	h      *riscv.Hart
	memory *mem.Memory
}

func (m mapped) Run(*sim.Proc) {
	const root, va, first, second = 0x8000_0000, 0x4000_0000, 0x8010_0000, 0x8010_1000
	m.memory.Poke(first, 8, 1)
	m.memory.Poke(second, 8, 2)
	leaf := uint64(rv.PTE_V | rv.PTE_R | rv.PTE_W | rv.PTE_A | rv.PTE_D)
	entry := uint64(0x8000_2000)
	m.memory.Poke(root+8*(va>>30), 8, rv.PTE_PPN.Put(uint64(rv.PTE_V), 0x8_0001))
	m.memory.Poke(0x8000_1000, 8, rv.PTE_PPN.Put(uint64(rv.PTE_V), 0x8_0002))
	m.memory.Poke(entry, 8, rv.PTE_PPN.Put(leaf, first>>12))

	look := func(what string) {
		v, _ := m.h.LoadVirtual(va, 8, bus.Plain)
		fmt.Printf("%s: %d\n", what, v)
	}
	m.h.CPU.WriteSys(rv.SATP, rv.SATP_PPN.Put(rv.SATP_ASID.Put(uint64(rv.Sv39)<<60, 5), root>>12))
	look("mapped")
	m.h.WriteEntry(entry, rv.PTE_PPN.Put(leaf, second>>12))
	m.h.DumpTLB(os.Stdout)
	look("mapped anew, no fence")
	m.h.SfenceVMA(rv.Operand{}, rv.Reg(0))
	look("sfence.vma x0, a0 with a0 = 0")
	m.h.SfenceVMA(rv.Operand{}, rv.Operand{})
	look("sfence.vma x0, x0")
}

func Example() {
	engine := sim.NewEngine()
	defer engine.Close()
	memory, _ := mem.New(mem.Spec{Base: 0x8000_0000, Size: 2 << 20, Places: make([]mem.Place, 1)}, func(int, sim.Time) {})
	spec := riscv.C906(128)
	spec.CPU.StoreBuffer = 4
	h := riscv.New(0, spec, engine)
	h.Connect(memory, &bus.Map{})
	oracle := riscv.NewOracle(memory, h)
	if err := h.Start(mapped{h, memory}); err != nil {
		fmt.Println(err)
	}
	if err := engine.Drive(nil); err != nil {
		fmt.Println(err)
	}
	fmt.Println("what the hardware may not do:", len(oracle.Findings()))
	// Output:
	// mapped: 1
	// dtlb   0x4000_0000  4K    asid 5     -> 0x8010_0000  rw-/---  DA--
	// joint  0x4000_0000  4K    asid 5     -> 0x8010_0000  rw-/---  DA--
	// mapped anew, no fence: 1
	// sfence.vma x0, a0 with a0 = 0: 1
	// sfence.vma x0, x0: 2
	// what the hardware may not do: 0
}
