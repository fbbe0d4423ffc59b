package bus_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

var sysFrame = bus.MustSysFrame(bus.SystemRegisters[device]{
	bus.Sys(0xc230, (*device).readCtlr, (*device).writeCtlr),
	bus.Sys(0xc660, (*device).readType, nil),
	bus.Sys(0xc661, nil, (*device).writeCtlr),
	bus.Sys(0xc662, (*device).readCtlr, (*device).writeCtlr).If(func(d *device) bool { return d.base != 0 }),
})

func TestSysFrame(t *testing.T) {
	for _, c := range []struct {
		reg         bits.SysReg
		read, write bool
	}{
		{0xc230, true, true}, {0xc660, true, false}, {0xc661, false, true}, {0xc662, false, false},
		{0xc231, false, false}, {0xc22f, false, false}, {0xc663, false, false}, {0, false, false}, {0xffff, false, false},
	} {
		var d device
		if got := sysFrame.Write(&d, c.reg, 7); got != c.write {
			t.Errorf("write of %#x: %v, want %v", c.reg, got, c.write)
		}
		if _, got := sysFrame.Read(&d, c.reg); got != c.read {
			t.Errorf("read of %#x: %v, want %v", c.reg, got, c.read)
		}
	}
	d := device{base: 1}
	if !sysFrame.Write(&d, 0xc662, 7) || d.ctlr != 7 {
		t.Error("a register that is present was not written")
	}
}

func TestNewSysFrameRefuses(t *testing.T) {
	row := bus.Sys(0xc230, (*device).readCtlr, nil)
	_, err := bus.NewSysFrame(bus.SystemRegisters[device]{row, row})
	if err == nil || !strings.Contains(err.Error(), "0xc230 appears twice") {
		t.Errorf("got %v", err)
	}
	for rows, ok := range map[int]bool{0: false, 1: true, 255: true, 256: false} {
		table := make(bus.SystemRegisters[device], rows)
		for i := range table {
			table[i] = bus.Sys(bits.SysReg(0xc000+i), (*device).readCtlr, nil)
		}
		if _, err := bus.NewSysFrame(table); (err == nil) != ok {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}
