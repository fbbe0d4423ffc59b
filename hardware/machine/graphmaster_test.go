package machine_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
)

// copier is a device that copies a word: a write of dataReg with the address of the source makes it do so, to the next
// line. When it is done it raises its interrupt by its own register.
type copier struct {
	testDevice
	name    bus.Master
	hand    func(work uint64)
	release bus.Order // of the write that says that it is done
}

func (d *copier) Masters() []*bus.Master        { return []*bus.Master{&d.name} }
func (d *copier) Employ(hand func(work uint64)) { d.hand = hand }

func (d *copier) WriteReg(off uint64, w bus.Width, v uint64) bool {
	if deviceBase+off == dataReg {
		d.hand(v)
		return true
	}
	return d.testDevice.WriteReg(off, w, v)
}

func (d *copier) Work(p *machine.MasterPort, from uint64) {
	v := p.Load(from, 8, bus.Plain)
	p.Store(from+mem.LineSize, 8, v+1, bus.Plain)
	p.Store(fireReg, 8, 1, d.release)
}

// A master is explored like a program: what a CPU stores before a DSB and the doorbell it loads, and what it stores
// before its interrupt the handler loads, if something orders the two. DDI 0487, B2.3.
func TestGraphMaster(t *testing.T) {
	for _, c := range []struct {
		name    string
		barrier bool
		release bus.Order
		want    string // what handlers have seen
	}{
		{"ordered", true, bus.Release, "copied 8"},
		{"no barrier before the doorbell", false, bus.Release, "copied 1, copied 8"},
		{"no order before the interrupt", true, bus.Plain, "copied 0, copied 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGraphTest(t, 1)
			line, err := armBoard(g.m).Line(deviceSPI, machine.NoCPU)
			if err != nil {
				t.Fatal(err)
			}
			d := &copier{testDevice: testDevice{line: line, named: true}, release: c.release}
			d.name.Name = "copier"
			if err := g.m.AddDevice("copier", deviceBase, 4096, d); err != nil {
				t.Fatal(err)
			}
			g.m.Memory.NewPort(&d.name, mem.Place{}, &g.m.Devices)
			g.handle(0, func(c *cpu.CPU, _ uint64) {
				c.Store(fireReg, 8, 0, bus.Plain)
				g.load(c, countReg)
				c.Fence(arm.DSBSY)
				g.note("copied %d", g.load(c, g.y))
			})
			seen := map[string]bool{}
			for _, l := range g.explore(func(pe *cpu.CPU) {
				g.enableSPI(pe)
				pe.Store(g.x, 8, 7, bus.Plain)
				if c.barrier {
					pe.Fence(arm.DSBST)
				}
				pe.Store(dataReg, 8, g.x, bus.Plain)
			}) {
				if strings.Contains(l, "!") || l == "" {
					t.Errorf("%q", l)
				}
				for _, word := range []string{"copied 0", "copied 1", "copied 8"} {
					seen[word] = seen[word] || strings.Contains(l, word)
				}
			}
			var got []string
			for _, word := range []string{"copied 0", "copied 1", "copied 8"} {
				if seen[word] {
					got = append(got, word)
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
