package mem

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// nonSnooping are the attributes of a master that sees memory behind the caches.
var nonSnooping = bus.Attr{Shareability: bus.OuterShareable}

// dma is a master beside the CPUs of a bench, in the first cluster.
type dma struct {
	b    *bench
	port *Port
}

func (b *bench) dma() *dma {
	return &dma{b, b.NewPort(&bus.Master{Name: "dma"}, Place{}, nil)}
}

func (d *dma) access(op bus.Op, attr bus.Attr, v uint64, at sim.Time) (uint64, bus.Answer) {
	x := bus.Transaction{At: at, Addr: bus.Addr(d.b.addr), Len: 8, Op: op, Attr: attr}
	x.Data[0] = v
	a := d.port.Transact(&x)
	return x.Data[0], a
}

// reads checks what a master reads.
func (d *dma) reads(attr bus.Attr, at sim.Time, want uint64) {
	d.b.t.Helper()
	if got, _ := d.access(bus.Read, attr, 0, at); got != want {
		d.b.t.Errorf("at %s the master reads %d, want %d", at, got, want)
	}
}

// A master that does not snoop reads what was last written back, until the line is cleaned.
func TestNonSnoopingMasterReadsMemory(t *testing.T) {
	b := newBench(t, 2)
	d := b.dma()
	b.Write(0, b.addr, 8, 1, 0, 0)
	d.reads(nonSnooping, 200*ns, 0)
	d.reads(bus.Normal, 200*ns, 1)
	if out := b.Clean(0, b.addr, false, 300*ns, 0); out.Done != 400*ns || out.Distance != DRAM {
		t.Errorf("cleaned: %+v", out)
	}
	d.reads(nonSnooping, 399*ns, 0)
	d.reads(nonSnooping, 400*ns, 1)
	if out := b.Clean(0, b.addr, false, 500*ns, 0); out.Done != 500*ns || out.Distance != Own {
		t.Errorf("cleaning a clean line: %+v", out)
	}
	if _, out := b.Read(0, b.addr, 8, 500*ns); out.Distance != Own {
		t.Errorf("cleaning took the line away: %+v", out)
	}
	b.Write(0, b.addr, 8, 2, 600*ns, 0)
	d.reads(nonSnooping, 700*ns, 1)
	b.Clean(0, b.addr, true, 700*ns, 0)
	if _, out := b.Read(0, b.addr, 8, 900*ns); out.Distance != DRAM {
		t.Errorf("after its eviction the line comes from %s", out.Distance)
	}
}

// What a master writes behind the caches shows when their clean copy is gone; a dirty copy overwrites it.
func TestNonSnoopingMasterWritesMemory(t *testing.T) {
	b := newBench(t, 2)
	d := b.dma()
	b.Read(0, b.addr, 8, 0)
	d.access(bus.Write, nonSnooping, 5, 200*ns)
	if v, _ := b.Read(0, b.addr, 8, 300*ns); v != 0 {
		t.Errorf("the copy shows %d", v)
	}
	d.reads(nonSnooping, 300*ns, 5)
	b.Clean(0, b.addr, true, 400*ns, 0)
	if v, _ := b.Read(0, b.addr, 8, 500*ns); v != 5 {
		t.Errorf("memory shows %d", v)
	}
	b.Write(0, b.addr+8, 8, 6, 700*ns, 0)
	d.access(bus.Write, nonSnooping, 7, 900*ns)
	b.Clean(0, b.addr, true, 1000*ns, 0)
	if v, _ := b.Read(0, b.addr, 8, 1200*ns); v != 5 {
		t.Errorf("the dirty line was written back over %d", v)
	}
}

// A coherent write of a master takes the copies away, wakes who waits for the line, and loses exclusive monitors.
func TestSnoopingMasterWrites(t *testing.T) {
	b := newBench(t, 2)
	d := b.dma()
	_, read := b.Read(1, b.addr, 8, 0)
	b.watch(1, read, 0, false)
	if _, a := d.access(bus.Write, bus.Normal, 9, 200*ns); a.Done != 220*ns || a.Served != bus.ByCache {
		t.Errorf("written: %+v", a)
	}
	b.wakes("CPU1 at 220 ns")
	if b.Version(b.addr) == read.Version {
		t.Error("the monitor holds")
	}
	if v, out := b.Read(1, b.addr, 8, 219*ns); v != 0 || out.Distance != Own {
		t.Errorf("before the write arrives: %d %+v", v, out)
	}
	if v, out := b.Read(1, b.addr, 8, 300*ns); v != 9 || out.Distance != DRAM {
		t.Errorf("after the write: %d %+v", v, out)
	}
	d.reads(nonSnooping, 300*ns, 9)
}

func TestPortFaults(t *testing.T) {
	var m bus.Map
	bell := &doorbell{}
	if err := m.Add(bus.Region{Name: "doorbell", Base: 0x1000, Size: 0x1000, Target: bell}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 1)
	master := &bus.Master{Name: "nic", DeviceID: 3}
	inner, alone := b.NewPort(master, Place{}, &m), b.NewPort(master, Place{}, nil)
	for _, c := range []struct {
		port *Port
		x    bus.Transaction
		want bus.Answer
	}{
		{inner, bus.Transaction{Addr: 0x1040, Len: 4, Op: bus.Write}, bus.Answer{Done: 2, Served: bus.ByDevice}},
		{inner, bus.Transaction{Addr: 0x2000, Len: 4}, bus.Answer{Fault: bus.Unmapped}},
		{alone, bus.Transaction{Addr: 0x1040, Len: 4}, bus.Answer{Fault: bus.Unmapped}},
		{alone, bus.Transaction{Addr: testBase + 60, Len: 8}, bus.Answer{Fault: bus.Misaligned}},
		{alone, bus.Transaction{Addr: testBase + 4, Len: 8, Op: bus.ReadModify, Attr: bus.Normal},
			bus.Answer{Fault: bus.Misaligned}},
		{alone, bus.Transaction{Addr: testBase, Len: 8, Op: bus.ReadModify}, bus.Answer{Fault: bus.Refused}},
	} {
		c.x.Master = master
		if got := c.port.Transact(&c.x); got != c.want {
			t.Errorf("%s of %d bytes at 0x%x: %+v, want %+v", c.x.Op, c.x.Len, c.x.Addr, got, c.want)
		}
	}
	if bell.from != 3 {
		t.Errorf("the doorbell was rung by device %d", bell.from)
	}
	if got := b.Masters(); len(got) != 2 || got[0] != master {
		t.Errorf("masters: %v", got)
	}
}

type doorbell struct{ from uint32 }

func (d *doorbell) Transact(t *bus.Transaction) bus.Answer {
	d.from = t.Master.DeviceID
	return bus.Answer{Done: t.At + 2, Served: bus.ByDevice}
}

// Zero leaves memory as it was before anybody touched it, but for versions and waiters.
func TestZero(t *testing.T) {
	b := newBench(t, 2)
	d := b.dma()
	b.Write(0, b.addr, 8, 1, 0, 0)
	b.Write(0, b.addr+1<<16, 8, 1, 0, 0) // RAM that was not allocated
	_, read := b.Read(1, b.addr, 8, 400*ns)
	b.watch(1, read, 0, false)
	b.Zero(b.addr, 1<<20, 500*ns)
	b.wakes("CPU1 at 500 ns")
	d.reads(nonSnooping, 600*ns, 0)
	if v, out := b.Read(0, b.addr, 8, 700*ns); v != 0 || out.Distance != DRAM {
		t.Errorf("zeroed: %d %+v", v, out)
	}
	if v := b.Peek(b.addr+1<<16, 8); v != 0 {
		t.Errorf("beyond what was allocated: %d", v)
	}
}

func TestMastersAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	b := newBench(t, 2)
	d := b.dma()
	x := &bus.Transaction{Addr: bus.Addr(b.addr), Len: 64, Attr: bus.Normal}
	at := sim.Time(0)
	once := func() {
		for x.Op = bus.Read; x.Op <= bus.CleanDiscard; x.Op++ {
			if x.Len = 64; x.Op == bus.ReadModify {
				x.Len = 8
			}
			x.At = at
			d.port.Transact(x)
			at = b.Write(0, b.addr, 8, 1, at+1000*ns, 0).Done
		}
	}
	once()
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
