package cpu

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// arrived checks what the device has received.
func (b *board) arrived(want ...string) {
	b.t.Helper()
	if fmt.Sprint(b.device.arrivals) != fmt.Sprint(want) {
		b.t.Errorf("arrived %q, want %q", b.device.arrivals, want)
	}
}

// A write leaves the program at once and arrives 60 ns later; the CPU's writes arrive in order, one after another.
func TestDeviceWritesArriveLaterInOrder(t *testing.T) {
	b := newBoard(t, 1)
	b.alone(0, func(c *CPU) {
		for i := range uint64(3) {
			c.Store(deviceBase, 4, i+1, bus.Plain)
		}
		b.note(c, "goes on")
	})
	b.logged("3 ns CPU0 goes on")
	b.arrived("1 at 60 ns", "2 at 120 ns", "3 at 180 ns")
}

// A read waits for the CPU's own writes, then takes its 100 ns.
func TestDeviceReadWaitsForOwnWrites(t *testing.T) {
	b := newBoard(t, 1)
	b.alone(0, func(c *CPU) {
		c.Store(deviceBase, 4, 7, bus.Plain)
		b.note(c, "reads %d", c.Load(deviceBase, 4, bus.Plain))
		b.note(c, "done")
	})
	b.logged("160 ns CPU0 reads 7", "160 ns CPU0 done")
	if spent := b.cpus[0].Spent(); spent[DeviceTime] != 160*ns {
		t.Errorf("spent %v", spent)
	}
}

// The register is read half-way: what another CPU's write changes before that is seen.
func TestDeviceReadSeesWhatArrivedBeforeItsMiddle(t *testing.T) {
	for _, k := range []struct {
		write int64
		want  uint64
	}{{989, 5}, {990, 5}, {991, 0}} {
		b := newBoard(t, 2)
		b.start(0, func(c *CPU) {
			c.Exec(1000)
			if v := c.Load(deviceBase, 4, bus.Plain); v != k.want {
				t.Errorf("written at %d ns: read %d", k.write, v)
			}
		})
		b.start(1, func(c *CPU) {
			c.Exec(k.write)
			c.Store(deviceBase, 4, 5, bus.Plain)
		})
		b.run()
	}
}

// A doorbell: memory that a neighbour holds is written first. Without a barrier the device hears of it too early.
func TestFencesAndDeviceWrites(t *testing.T) {
	for _, k := range []struct {
		name string
		want sim.Time // when the write arrives, after the store to memory
	}{{"", 61 * ns}, {"dmb ishst", 80 * ns}, {"dmb ishld", 63 * ns}, {"dsb st", 120 * ns}} {
		b := newBoard(t, 2)
		b.shared(line(0), 1)
		begin := b.engine.Now()
		b.alone(0, func(c *CPU) {
			c.Delay(begin + 1000*ns - c.Now())
			c.Store(line(0), 8, 1, bus.Plain)
			switch k.name {
			case "dmb ishst":
				c.Fence(dmbISHST)
			case "dmb ishld":
				f := barrier("dmb ishld")
				c.Fence(f)
			case "dsb st":
				c.Fence(dsbST)
			}
			c.Store(deviceBase, 4, 1, bus.Plain)
		})
		b.arrived(fmt.Sprintf("1 at %s", begin+1000*ns+k.want))
	}
}

// A DSB waits for device writes to arrive, in every domain.
func TestDSBWaitsForDeviceWrites(t *testing.T) {
	for _, option := range []string{"nsh", "ish", "sy", "st"} {
		b := newBoard(t, 1)
		fence := barrier("dsb " + option)
		if got := b.elapsed(0, func(c *CPU) { c.Store(deviceBase, 4, 1, bus.Plain); c.Fence(fence) }); got != 70*ns {
			t.Errorf("dsb %s: %s", option, got)
		}
	}
}

// Where there is no register a read gives zero and a write does nothing.
func TestHolesReadAsZero(t *testing.T) {
	b := newBoard(t, 1)
	b.device.value = 9
	b.alone(0, func(c *CPU) {
		c.Store(deviceBase+4, 4, 7, bus.Plain)
		c.Store(deviceBase, 8, 7, bus.Plain)
		b.note(c, "%d %d %d", c.Load(deviceBase, 4, bus.Plain), c.Load(deviceBase+4, 4, bus.Plain),
			c.Load(deviceBase, 1, bus.Plain))
	})
	b.arrived()
	b.logged("420 ns CPU0 9 0 0")
}
