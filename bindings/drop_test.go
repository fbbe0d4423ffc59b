package bindings_test

import (
	"runtime"
	"testing"
)

// Machines that scripts have dropped give up their coroutines before the host is closed; what else was taken from them
// stays as it was.
func TestDroppedMachinesAreReleased(t *testing.T) {
	s := newStopper(t)
	before := runtime.NumGoroutine()
	s.eval(`make = function()
  local m = hw.machine("virt", { cpus = 4 })
  m:spawn(1, function(cpu) cpu:wfi() cpu:wfi() end)
  m:run(0, function(cpu) cpu:smp_call_function_single(1) end)
  return m
end
kept, cpu = make(), make():cpu(1)
for i = 1, 100 do make() end`)
	const few = 10 // of the machine that is kept, and of those that the stack may still hold
	for tries := 0; runtime.NumGoroutine() > before+few; tries++ {
		if tries == 10_000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.GC() // tells which machines were dropped
		s.eval(`make()`)
	}
	if got, want := s.eval(`tostring(cpu)`), s.eval(`tostring(kept:cpu(1))`); got != want {
		t.Errorf("the CPU of a dropped machine is %s, that of one that was kept %s", got, want)
	}
	if got := s.eval(`kept:run(0, function(cpu) cpu:smp_call_function_single(1); return cpu:id() end)`); got != "0" {
		t.Errorf("the machine that was kept answers %s", got)
	}
}
