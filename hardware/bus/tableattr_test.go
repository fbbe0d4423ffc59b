package bus_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
)

// The codes of a table register as attributes of a transaction. IHI 0069, 12.11.
func TestTableAttr(t *testing.T) {
	const ra, wa = bus.ReadAllocate, bus.WriteAllocate
	for _, c := range []struct {
		inner, outer         gic.Cacheability
		share                gic.Shareability
		wantInner, wantOuter bus.Cacheability
		domain               bus.Domain
		snoops               bool
	}{
		{gic.WaWb, 0, gic.InnerShareable, bus.WriteBack | wa, bus.WriteBack | wa, bus.InnerShareable, true},
		{gic.RaWaWb, 0, gic.InnerShareable, bus.WriteBack | ra | wa, bus.WriteBack | ra | wa, bus.InnerShareable, true},
		{gic.RaWb, gic.RaWt, gic.OuterShareable, bus.WriteBack | ra, bus.WriteThrough | ra, bus.OuterShareable, true},
		{gic.WaWt, gic.RaWaWt, gic.InnerShareable, bus.WriteThrough | wa, bus.WriteThrough | ra | wa, bus.InnerShareable,
			true},
		{gic.NonCacheable, 0, gic.InnerShareable, 0, 0, bus.InnerShareable, false},
		{gic.RaWaWb, gic.NonCacheable, gic.NonShareable, bus.WriteBack | ra | wa, 0, bus.NonShareable, false},
		{gic.Device_nGnRnE, 0, 3, 0, 0, bus.NonShareable, false},
	} {
		want := bus.Attr{Shareability: c.domain, Inner: c.wantInner, Outer: c.wantOuter, Privileged: true}
		got := bus.TableAttr(c.inner, c.outer, c.share)
		if got != want || got.Snoops() != c.snoops {
			t.Errorf("TableAttr(%d, %d, %d) = %+v, want %+v", c.inner, c.outer, c.share, got, want)
		}
	}
}
