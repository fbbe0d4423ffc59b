package bindings

import (
	"strings"
	"testing"
)

// timerScript sets a machine up whose timer interrupts CPU 0, by registers alone. The timer is a PPI, INTID 30.
const timerScript = `
local m = hw.machine("virt", { cpus = 1, jitter = false })
local taken = 0
m:cpu(0):on_irq(function(cpu)
  local id = cpu:mrs("ICC_IAR1_EL1")
  check.eq(id, 30)
  taken = taken + 1
  cpu:msr("CNTP_CTL_EL0", 0)              -- the line falls, else the interrupt would come again
  cpu:msr("ICC_EOIR1_EL1", id)
  cpu:msr("ICC_DIR_EL1", id)
end)
local function enable(cpu)
  cpu:store(0x080b0100, 0x40000000, nil, 4) -- GICR_ISENABLER0
  cpu:dsb "sy"
end
`

// TestTimerFromLua: a program sets the timer and sleeps until its interrupt.
func TestTimerFromLua(t *testing.T) {
	got, err := exploreScript(t, &Session{}, timerScript+`
local slept = m:run(0, function(cpu)
  enable(cpu)
  local start = cpu:ktime()
  cpu:msr("CNTP_CVAL_EL0", cpu:mrs("CNTPCT_EL0") + 100)
  cpu:msr("CNTP_CTL_EL0", 1)
  cpu:wfi()
  check.eq(cpu:mrs("CNTP_CTL_EL0"), 0)
  return cpu:ktime() - start
end)
check.eq(taken, 1)
print(slept >= 1000 and slept < 1800, hw.decode("CNTP_CTL_EL0", 5))`)
	if err != nil || !strings.HasPrefix(got, "true\t") || !strings.Contains(got, "ISTATUS") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestExploreWithTimer: a timer that runs has no place in an execution graph, nor has what is on its way to a device.
func TestExploreWithTimer(t *testing.T) {
	const explored = `
local data = m:lines(1):addr(0)
local r = explore.run { name = "timer", machine = m, program = function(m)
  m:spawn(0, function(cpu) cpu:store(data, 1); START end)
end, check = function(m) end }
print(r.verdict)`
	const start = `cpu:msr("CNTP_TVAL_EL0", 1000000); cpu:msr("CNTP_CTL_EL0", 1)`
	for _, last := range []string{
		"enable(cpu); " + start, `cpu:store(0x080b0100, 0x40000000, nil, 4)`, `cpu:msr("ICC_SGI1R_EL1", u64"0x3000001")`,
	} {
		got, err := exploreScript(t, &Session{}, timerScript+"m:run(0, function(cpu) "+last+" end)"+
			strings.Replace(explored, "START", "", 1))
		if err == nil || !strings.Contains(err.Error(), "explore.run: something is still on its way on the machine, or") {
			t.Errorf("%s: %v\n%s", last, err, got)
		}
	}
	got, err := exploreScript(t, &Session{}, timerScript+strings.Replace(explored, "START", start, 1))
	if err == nil || !strings.Contains(err.Error(), "CPU0: a timer is started: expected an exploration with timers") {
		t.Errorf("%v\n%s", err, got)
	}
}
