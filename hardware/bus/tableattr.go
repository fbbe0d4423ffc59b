package bus

import "github.com/hwscript/hwscript/hardware/arch/gic"

// TableAttr is how a GIC accesses a table, by the fields of the register that names it. Outer 0 is "the same as inner",
// and the reserved shareability is none. IHI 0069, 12.11.
func TableAttr(inner, outer gic.Cacheability, s gic.Shareability) Attr {
	if outer == 0 {
		outer = inner
	}
	a := Attr{Privileged: true, Inner: tableCacheability[inner], Outer: tableCacheability[outer]}
	switch s {
	case gic.InnerShareable:
		a.Shareability = InnerShareable
	case gic.OuterShareable:
		a.Shareability = OuterShareable
	}
	return a
}

var tableCacheability = [...]Cacheability{
	gic.Device_nGnRnE: NonCacheable,
	gic.NonCacheable:  NonCacheable,
	gic.RaWt:          WriteThrough | ReadAllocate,
	gic.RaWb:          WriteBack | ReadAllocate,
	gic.WaWt:          WriteThrough | WriteAllocate,
	gic.WaWb:          WriteBack | WriteAllocate,
	gic.RaWaWt:        WriteThrough | ReadAllocate | WriteAllocate,
	gic.RaWaWb:        WriteBack | ReadAllocate | WriteAllocate,
}
