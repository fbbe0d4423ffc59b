package arm_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/linux"
)

var _ linux.Arch = &arm.Asm{}

// TestBarrierMacros: the macros of arch/arm64/include/asm/barrier.h are these instructions.
func TestBarrierMacros(t *testing.T) {
	for macro, want := range map[string]string{
		"mb": "dsb sy", "rmb": "dsb ld", "wmb": "dsb st", "dma_mb": "dmb osh", "dma_rmb": "dmb oshld",
		"dma_wmb": "dmb oshst", "smp_mb": "dmb ish", "smp_rmb": "dmb ishld", "smp_wmb": "dmb ishst",
		"dsb(ishst)": "dsb ishst", "dsb(sy)": "dsb sy", "dmb(nshld)": "dmb nshld",
	} {
		if f, ok := (&arm.Asm{}).Barrier(macro); !ok || arm.FenceName(f) != want {
			t.Errorf("%s is %s, %t, want %s", macro, arm.FenceName(f), ok, want)
		}
	}
	for _, macro := range []string{"", "isb", "dsb", "dsb()", "dsb(isht)", "fence(rw)", "smp_wmb()", "dmb ish"} {
		if f, ok := (&arm.Asm{}).Barrier(macro); ok {
			t.Errorf("%q is %s, want none", macro, f)
		}
	}
}
