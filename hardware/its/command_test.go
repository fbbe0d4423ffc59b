package its_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/its"
)

// mapped is a testbed with three collections and two devices: device 0 with events 0 to 3, device 8 with 0 to 31.
func mapped(tb testing.TB) *testbed {
	tb.Helper()
	return mappedWith(tb, testSpec())
}

func mappedWith(tb testing.TB, s its.Spec) *testbed {
	tb.Helper()
	t := newTestbed(tb, s)
	t.run(
		mapc(0, 0), mapc(1, 1), mapc(2, 3), mapd(0, 2, itts), mapd(8, 5, itts+0x1000), mapti(0, 0, 8192, 0),
		mapti(0, 1, 8193, 1),
	)
	return t
}

// Every physical command does what it says. IHI 0069, 5.3.
func TestCommands(tt *testing.T) {
	t := mapped(tt)
	t.run(mapti(8, 5, 8213, 2), op(gic.MAPI, 8, 9, 0))
	t.events("command at 0x100: MAPI DeviceID=0x8 EventID=0x9 ICID=0x0: no LPI: 0x9 " +
		"(0x010a06 Number=MAPTI_PHYSICALID_OOR)")
	t.run(op(gic.INT, 0, 0, 0), op(gic.INT, 0, 1, 0), op(gic.INT, 8, 5, 0), op(gic.INT, 0, 0, 0))
	t.pending([]uint32{8192}, []uint32{8193}, nil, []uint32{8213})
	t.run(op(gic.CLEAR, 0, 1, 0))
	t.pending([]uint32{8192}, nil, nil, []uint32{8213})
	t.run(op(gic.MOVI, 0, 0, 2), op(gic.INT, 0, 1, 0))
	t.pending(nil, []uint32{8193}, nil, []uint32{8192, 8213})
	t.run(movall(3, 2), movall(1, 1))
	t.pending(nil, []uint32{8193}, []uint32{8192, 8213})
	t.run(op(gic.INT, 0, 0, 0), op(gic.DISCARD, 0, 0, 0), op(gic.INT, 0, 0, 0), op(gic.DISCARD, 0, 1, 0))
	t.pending(nil, nil, []uint32{8192, 8213})
	t.redists.heard = nil
	t.run(op(gic.INV, 8, 5, 0), op(gic.INVALL, 0, 0, 2), syncTo(3))
	if n := len(t.redists.heard); n != 3 {
		t.Errorf("heard %q", t.redists.heard)
	}
	t.run(mapc(2, 0), op(gic.INT, 8, 5, 0))
	t.pending([]uint32{8213}, nil, []uint32{8192, 8213})
	t.run(unmapc(2), op(gic.INT, 8, 5, 0), mapc(2, 1), unmapd(8), op(gic.INT, 8, 5, 0), mapd(8, 5, itts+0x1000),
		op(gic.INT, 8, 5, 0))
	t.pending([]uint32{8213}, []uint32{8213}, []uint32{8192, 8213})
	if t.Busy() {
		t.Error("busy")
	}
}

func (t *testbed) Busy() bool { return t.read(gic.GITS_CTLR)>>31 == 0 }
