package cpu

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
)

// A line that was cleaned is what a master reads that does not snoop, once a completing fence has waited for it.
func TestCleanReachesMasters(t *testing.T) {
	b := newBoard(t, 2)
	port := b.memory.NewPort(&bus.Master{Name: "dma"}, mem.Place{}, nil)
	read := func(c *CPU) uint64 {
		x := bus.Transaction{At: c.Now(), Addr: bus.Addr(line(0)), Len: 8}
		port.Transact(&x)
		return x.Data[0]
	}
	b.alone(0, func(c *CPU) {
		c.Store(line(0), 8, 7, bus.Plain)
		c.Fence(dsbSY)
		b.note(c, "stored, memory has %d", read(c))
		c.Clean(line(0), false)
		b.note(c, "cleans, memory has %d", read(c))
		c.Fence(dsbSY)
		b.note(c, "cleaned, memory has %d", read(c))
		c.Load(line(0), 8, bus.Plain)
		b.note(c, "still has the line")
		c.Clean(line(0), true)
		c.Fence(dsbSY)
		c.Load(line(0), 8, bus.Plain)
		b.note(c, "takes the line again")
	})
	b.logged(
		"140 ns CPU0 stored, memory has 0", // 100 ns from DRAM, 30 ns acknowledged, 10 ns the fence
		"141 ns CPU0 cleans, memory has 0",
		"280 ns CPU0 cleaned, memory has 7", // 100 ns written back
		"281 ns CPU0 still has the line",
		"421 ns CPU0 takes the line again",
	)
}

// shifted is a translation by a constant, for RAM only; what is below faults.
type shifted struct{}

func (shifted) Translate(addr uint64, write bool) (uint64, bus.Fault) {
	const offset = 0x1000
	if addr < ramBase+offset || write && addr >= line(4)+offset {
		return 0, bus.Unmapped
	}
	return addr - offset, bus.NoFault
}

// Every access of a CPU is translated, and a fault of the translation is one of the access.
func TestTranslation(t *testing.T) {
	const offset = 0x1000
	b := newBoard(t, 2)
	c := b.cpus[0]
	ports := c.ports
	ports.Translation = shifted{}
	c.Connect(ports)
	b.alone(0, func(c *CPU) {
		c.Store(line(0)+offset, 8, 5, bus.Plain)
		c.Atomic(line(0)+offset, 8, bus.Add, 1, 0, bus.Plain)
		if v := c.Load(line(0)+offset, 8, bus.Plain); v != 6 {
			t.Errorf("loads %d", v)
		}
		if v := c.LoadExclusive(line(0)+offset, 8, bus.Plain); !c.StoreExclusive(line(0)+offset, 8, v+1, bus.Plain) {
			t.Error("the store-exclusive failed")
		}
		if v, _ := c.Wait(line(0)+offset, 8, bus.Plain, nonzero, Forever); v != 7 {
			t.Errorf("waited for %d", v)
		}
	})
	if c.proc.Busy() {
		t.Error("waits at another address")
	}
	if v := b.memory.Peek(line(0), 8); v != 7 {
		t.Errorf("memory holds %d", v)
	}
	for _, k := range []struct {
		addr uint64
		op   bus.Op
		want bus.Fault
	}{
		{line(0) + offset, bus.Write, bus.NoFault}, {line(0), bus.Read, bus.Unmapped},
		{line(5) + offset, bus.Read, bus.NoFault}, {line(5) + offset, bus.ReadModify, bus.Unmapped},
		{line(0) + offset + 1, bus.Read, bus.Misaligned},
	} {
		got := bus.NoFault
		if abort := c.Check(k.addr, 8, k.op); abort != nil {
			got = abort.Fault
		}
		if got != k.want {
			t.Errorf("%s of 0x%x: %s, want %s", k.op, k.addr, got, k.want)
		}
	}
}

// An access to a register that the device does not have is remarked, with the time of the access.
func TestRemarks(t *testing.T) {
	b := newBoard(t, 1)
	b.alone(0, func(c *CPU) {
		c.Store(deviceBase+8, 4, 1, bus.Plain)
		if v := c.Load(deviceBase, 8, bus.Plain); v != 0 {
			t.Errorf("read %d", v)
		}
	})
	want := []string{
		"60 ns CPU0: uart+0x0008: write of 4 bytes: no register of this size",
		"110 ns CPU0: uart+0x0000: read of 8 bytes: no register of this size",
	}
	remarks := b.engine.Remarks()
	if len(remarks.List) != len(want) || remarks.Dropped != 0 {
		t.Fatalf("remarks: %+v", remarks)
	}
	for i := range want {
		if r := &remarks.List[i]; r.At.String()+" "+r.String() != want[i] {
			t.Errorf("got %s %s, want %s", r.At, r, want[i])
		}
	}
}
