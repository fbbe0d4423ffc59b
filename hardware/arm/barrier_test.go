package arm_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
)

// TestBarriers: every option of both instructions has its own fence, which goes back to its name.
func TestBarriers(t *testing.T) {
	seen := map[bus.Fence]string{}
	for name, build := range map[string]func(string) (bus.Fence, bool){"dmb": arm.DMB, "dsb": arm.DSB} {
		for _, option := range arm.BarrierOptions() {
			f, ok := build(option)
			if !ok || seen[f] != "" || arm.FenceName(f) != name+" "+option || f.Completion != (name == "dsb") {
				t.Errorf("%s %s: %+v, %v, named %s, also %q", name, option, f, ok, arm.FenceName(f), seen[f])
			}
			seen[f] = name + " " + option
		}
		if _, ok := build("isb"); ok {
			t.Errorf("%s isb exists", name)
		}
	}
	if len(seen) != 24 {
		t.Errorf("%d barriers", len(seen))
	}
	st := arm.DSBST
	if st.Before != bus.Store|bus.DeviceOutput || st.After != st.Before || st.Domain != bus.FullSystem {
		t.Errorf("dsb st is %+v", st)
	}
	if ld, _ := arm.DMB("ishld"); ld.Before != bus.Load|bus.DeviceInput || ld.After != bus.AnyAccess {
		t.Errorf("dmb ishld is %+v", ld)
	}
}
