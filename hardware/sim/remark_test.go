package sim

import "testing"

type remarkTracer struct{ text string }

func (r *remarkTracer) Trace(at Time, source, what string) {
	r.text = at.String() + " " + source + " " + what
}

func TestRemarks(t *testing.T) {
	e := NewEngine()
	defer e.Close()
	tracer := &remarkTracer{}
	e.Attach(TextTracer(tracer.Trace))
	if e.Remarks().Unpredictable() != nil {
		t.Error("an unpredictable remark before any")
	}
	for i := range Time(maxRemarks + 5) {
		e.Remark(Remark{At: i, Source: "CPU1", Register: "GICD+0x000c", What: "reads as zero", Unpredictable: i >= 3})
	}
	r := e.Remarks()
	if len(r.List) != maxRemarks || r.Dropped != 5 || r.List[1].At != 1 {
		t.Errorf("%d remarks, %d dropped, the second at %s", len(r.List), r.Dropped, r.List[1].At)
	}
	if u := r.Unpredictable(); u.At != 3 || u.String() != "CPU1: GICD+0x000c: reads as zero" {
		t.Errorf("the first unpredictable one is %+v", u)
	}
	if want := "104 ps CPU1 remark: GICD+0x000c: reads as zero"; tracer.text != want {
		t.Errorf("traced %q, want %q", tracer.text, want)
	}
}
