package bus_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
)

// latch is a register of 32 bits at offset 4.
type latch struct{ value uint64 }

func (l *latch) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	if off != 4 || w != bus.W32 {
		return 0, false
	}
	return l.value, true
}

func (l *latch) WriteReg(off uint64, w bus.Width, v uint64) bool {
	if off != 4 || w != bus.W32 {
		return false
	}
	l.value = v
	return true
}

// doorbell keeps who wrote to it.
type doorbell struct{ from uint32 }

func (d *doorbell) Transact(t *bus.Transaction) bus.Answer {
	d.from = t.Master.DeviceID
	return bus.Answer{Done: t.At + 5, Served: bus.ByDevice}
}

func TestTransact(t *testing.T) {
	var m bus.Map
	regs, bell := &latch{value: 7}, &doorbell{}
	for _, r := range []bus.Region{
		{Name: "latch", Base: 0x1000, Size: 0x100, Device: regs}, {Name: "bell", Base: 0x2000, Size: 0x100, Target: bell},
	} {
		if err := m.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	master := &bus.Master{Name: "nic", DeviceID: 9}
	for _, c := range []struct {
		addr bus.Addr
		size uint8
		op   bus.Op
		data uint64
		want bus.Answer
		read uint64
	}{
		{0x1004, 4, bus.Read, 0, bus.Answer{Done: 3, Served: bus.ByDevice}, 7},
		{0x1004, 4, bus.Write, 8, bus.Answer{Done: 3, Served: bus.ByDevice}, 8},
		{0x1004, 8, bus.Read, 1, bus.Answer{Done: 3, Fault: bus.Misaligned}, 1},
		{0x1008, 8, bus.Read, 1, bus.Answer{Done: 3, Served: bus.ByDevice, Fault: bus.NoRegister}, 0},
		{0x1008, 4, bus.Write, 1, bus.Answer{Done: 3, Served: bus.ByDevice, Fault: bus.NoRegister}, 1},
		{0x1000, 64, bus.Read, 1, bus.Answer{Done: 3, Fault: bus.Refused}, 1},
		{0x1004, 3, bus.Read, 1, bus.Answer{Done: 3, Fault: bus.Refused}, 1},
		{0x1004, 4, bus.ReadModify, 1, bus.Answer{Done: 3, Fault: bus.Refused}, 1},
		{0x1004, 4, bus.Clean, 1, bus.Answer{Done: 3, Fault: bus.Refused}, 1},
		{0x3000, 4, bus.Read, 1, bus.Answer{Done: 3, Fault: bus.Unmapped}, 1},
		{0x2040, 4, bus.Write, 1, bus.Answer{Done: 8, Served: bus.ByDevice}, 1},
	} {
		x := bus.Transaction{Master: master, At: 3, Addr: c.addr, Len: c.size, Op: c.op}
		x.Data[0] = c.data
		if got := m.Transact(&x); got != c.want || x.Data[0] != c.read {
			t.Errorf("%s of %d bytes at 0x%x: %+v with data %d, want %+v with %d", c.op, c.size, c.addr, got, x.Data[0],
				c.want, c.read)
		}
	}
	if regs.value != 8 || bell.from != 9 {
		t.Errorf("the register holds %d, the doorbell was rung by %d", regs.value, bell.from)
	}
	if got := m.Regions()[0].Register(0x100c); got != "latch+0x000c" {
		t.Errorf("an address is named %q", got)
	}
}

func TestTransactAllocatesNothing(t *testing.T) {
	var m bus.Map
	if err := m.Add(bus.Region{Name: "latch", Base: 0x1000, Size: 0x100, Device: &latch{}}); err != nil {
		t.Fatal(err)
	}
	x := &bus.Transaction{Master: &bus.Master{}, Addr: 0x1004, Len: 4}
	if n := testing.AllocsPerRun(100, func() { m.Transact(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSnoops: only shareable accesses to memory that is cacheable see the CPUs' caches.
func TestSnoops(t *testing.T) {
	for _, c := range []struct {
		attr bus.Attr
		want bool
	}{
		{bus.Normal, true},
		{bus.Attr{}, false},
		{bus.Attr{Shareability: bus.OuterShareable}, false}, // Normal Non-cacheable
		{bus.Attr{Inner: bus.WriteBack, Outer: bus.WriteBack}, false},
		{bus.Attr{Shareability: bus.OuterShareable, Inner: bus.WriteThrough}, true},
		{bus.Attr{Shareability: bus.InnerShareable, Inner: bus.ReadAllocate}, false}, // a hint is no policy
	} {
		if got := c.attr.Snoops(); got != c.want {
			t.Errorf("%+v: %v", c.attr, got)
		}
	}
}
