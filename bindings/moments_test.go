package bindings

import "testing"

// momentsScript is a machine whose CPU 0 handles SGI 1, and notes when. On virt an MSR or MRS takes 20 ns, an exception
// entry or return 10, an SGI 300, and 2000 cycles of work 1000.
const momentsScript = `
local self = 0x1000001 -- ICC_SGI1R_EL1: SGI 1 to CPU 0
local taken
local m = hw.machine("virt", { cpus = 2, jitter = false })
m:cpu(0):on_irq(function(cpu)
  taken[#taken + 1] = cpu:now() / 1000
  local id = cpu:mrs("ICC_IAR1_EL1")
  if id == 30 then cpu:msr("CNTP_CTL_EL0", 0) end
  cpu:msr("ICC_EOIR1_EL1", id)
  cpu:msr("ICC_DIR_EL1", id)
end)

-- moment runs a program to 5000 ns, lets it act, and compares when its interrupt was taken, whether that was before the
-- act was done, and when 50000 ns of work after it end.
local function moment(name, prepare, act, want, at_once, done)
  taken = {}
  m:run(0, function(cpu)
    local start = cpu:now() / 1000
    prepare(cpu)
    cpu:exec((5000 - (cpu:now() / 1000 - start)) * 2)
    act(cpu)
    check.eq(#taken == 1, at_once, name .. ": taken at once")
    cpu:exec(100000)
    check.eq(#taken, 1, name .. ": interrupts")
    check.eq(taken[1] - start, want, name .. ": taken")
    check.eq(cpu:now() / 1000 - start, done, name .. ": done")
  end)
end
`

// TestInterruptMoments: an interrupt that the CPU's own MSR makes pending is taken when that MSR is done, not after the
// work that follows.
func TestInterruptMoments(t *testing.T) {
	got, err := exploreScript(t, &Session{}, momentsScript+`
-- 5000 + 20 of the MSR + 10 of the entry; the handler adds 10 + 60 + 10.
moment("ICC_PMR_EL1", function(cpu)
  cpu:msr("ICC_PMR_EL1", 0)
  cpu:msr("ICC_SGI1R_EL1", self)
end, function(cpu) cpu:msr("ICC_PMR_EL1", 0xf0) end, 5030, true, 55100)

moment("ICC_IGRPEN1_EL1", function(cpu)
  cpu:msr("ICC_IGRPEN1_EL1", 0)
  cpu:msr("ICC_SGI1R_EL1", self)
end, function(cpu) cpu:msr("ICC_IGRPEN1_EL1", 1) end, 5030, true, 55100)

moment("DAIF", function(cpu)
  cpu:msr("DAIF", 0x3c0)
  cpu:msr("ICC_SGI1R_EL1", self)
  check.eq(cpu:mrs("DAIF"), 0x3c0)
end, function(cpu) cpu:msr("DAIF", 0) end, 5030, true, 55100)

-- No instruction that takes time unmasks.
moment("mask_irq", function(cpu)
  cpu:mask_irq(true)
  cpu:msr("ICC_SGI1R_EL1", self)
end, function(cpu) cpu:mask_irq(false) end, 5010, true, 55080)

-- The priority of the SGI that is active keeps the other one away, until it drops.
moment("ICC_EOIR1_EL1", function(cpu)
  cpu:mask_irq(true)
  cpu:msr("ICC_SGI1R_EL1", 0x2000001)
  cpu:exec(1000)
  check.eq(cpu:mrs("ICC_IAR1_EL1"), 2)
  cpu:msr("ICC_SGI1R_EL1", self)
  cpu:exec(1000)
  cpu:mask_irq(false)
end, function(cpu)
  cpu:msr("ICC_EOIR1_EL1", 2)
end, 5030, true, 55100)
m:run(0, function(cpu) cpu:msr("ICC_DIR_EL1", 2) end)

-- A condition that is met already makes the line high at once. The handler has one MSR more.
m:run(0, function(cpu)
  cpu:store(0x080b0100, 0x40000000, nil, 4) -- GICR_ISENABLER0: the timer's PPI, INTID 30
  cpu:dsb "sy"
end)
moment("CNTP_CVAL_EL0", function(cpu)
  cpu:msr("CNTP_CVAL_EL0", u64 "0x7fffffffffffffff")
  cpu:msr("CNTP_CTL_EL0", 1)
end, function(cpu) cpu:msr("CNTP_CVAL_EL0", 0) end, 5030, true, 55120)

-- A wire that the program drives itself: it takes no time, and the interrupt is there when time goes on.
local wire = m:irq_line(20, 0)
m:run(0, function(cpu)
  cpu:store(0x080b0100, 0x100000, nil, 4)
  cpu:store(0x080b0c04, 0x200, nil, 4) -- GICR_ICFGR1: an edge
  cpu:dsb "sy"
end)
moment("wire", function() end, function() wire:pulse() end, 5010, false, 55080)

-- The SGI is on its way for 300 ns: it is taken in the work that follows.
moment("ICC_SGI1R_EL1", function() end, function(cpu) cpu:msr("ICC_SGI1R_EL1", self) end, 5310, false, 55100)
`)
	if err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestEndlessWork: a program of nothing but work takes interrupts, and the others go on.
func TestEndlessWork(t *testing.T) {
	got, err := exploreScript(t, &Session{}, `
local m = hw.machine("virt", { cpus = 2, jitter = false })
local rounds = 0
m:spawn(0, function(cpu) while true do cpu:exec(10); rounds = rounds + 1 end end)
local called = m:run(1, function(cpu)
  cpu:exec(2000)
  cpu:smp_call_function_single(0, nil, true)
  cpu:smp_call_function_single(0, nil, true)
  return cpu:now()
end)
check.ok(called > 1000 and called < 5000000)
check.ok(rounds > 200)`)
	if err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestSleepAndWakeUp: what a kernel does before a CPU sleeps (CPU_PM_ENTER) and after. The interrupt is taken when the
// redistributor is awake, 200 ns after ProcessorSleep was cleared, at the latest.
func TestSleepAndWakeUp(t *testing.T) {
	got, err := exploreScript(t, &Session{}, `
local waker, masked = 0x080c0014, nil
local m = hw.machine("virt", { cpus = 2, jitter = false })
local log = {}
local function note(cpu, what) log[#log + 1] = what .. " " .. cpu:now() / 1000 end
m:cpu(1):on_irq(function(cpu)
  note(cpu, "taken")
  local id = cpu:mrs("ICC_IAR1_EL1")
  cpu:msr("ICC_EOIR1_EL1", id)
  cpu:msr("ICC_DIR_EL1", id)
end)
m:spawn(1, function(cpu)
  cpu:msr("ICC_IGRPEN1_EL1", 0)                               -- 20
  cpu:store(waker, 2, nil, 4)                                 -- leaves at 20, arrives at 70: quiet at 270
  local polls = 0
  while cpu:load(waker, nil, 4):band(4):eq(0) do polls = polls + 1 end
  check.eq(polls, 2)                                          -- read at 120, 220, and 320
  cpu:wfi()
  note(cpu, "awake")
  cpu:store(waker, 0, nil, 4)                                 -- arrives 50 ns later
  while cpu:load(waker, nil, 4):band(4):eq(4) do end
  note(cpu, "up")
  cpu:msr("ICC_IGRPEN1_EL1", 1)
end)
m:spawn(0, function(cpu)
  cpu:exec(20000)
  cpu:msr("ICC_SGI1R_EL1", 0x1000002)                         -- leaves at 10000, arrives at 10300
end)
m:run()
-- 10300 + 20 to leave WFI. The write leaves then and arrives at 10370, the interface is up at 10570; the loads end at
-- 10470, 10570, 10670 after reading at 10420, 10520, 10620. The MSR takes 20, the entry 10.
check.eq(table.concat(log, ", "), "awake 10320, up 10670, taken 10700")`)
	if err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestRunLeavesStoresInTheirBuffer: when nothing is left to run, the last store may still be in its store buffer; a dsb
// before the program's end waits for it.
func TestRunLeavesStoresInTheirBuffer(t *testing.T) {
	_, err := exploreScript(t, &Session{}, `
for _, fence in ipairs { false, "ishst" } do
  local m = hw.machine("virt", { cpus = 2, jitter = false })
  local x = m:lines(1):addr(0)
  m:run(1, function(cpu) cpu:load(x) end)
  m:spawn(0, function(cpu)
    cpu:store(x, 1)
    if fence then cpu:dsb(fence) end
  end)
  m:run()
  local function after(cycles) return m:run(1, function(cpu) cpu:exec(cycles); return cpu:load(x) end) end
  check.eq(after(10), fence and 1 or 0, "at once")
  check.eq(after(1000), 1, "later")
end`)
	if err != nil {
		t.Error(err)
	}
}

// TestLooksAreOfTheirMoment: what a program sees of the machine, other than by an access, is what has happened by then,
// also where time has passed in an access since the last step: here, what CPU 1 does at 1000 ns.
func TestLooksAreOfTheirMoment(t *testing.T) {
	got, err := exploreScript(t, &Session{}, `
local looks = {
  { "remarks", function(m) return #m:remarks() end },
  { "stats", function(m, _, before) return tonumber(m:stats().sysreg_writes - before) / 2 end },
  { "register", function(m) return m.gicr[1].GICR_ISPENDR0 end },
  { "cell", function(m, cell) return cell:get() end },
  { "read", function(m) return m:cpu(1):read("TPIDR_EL1") end },
}
for _, look in ipairs(looks) do
  for want, cycles in pairs { [0] = 1600, [1] = 1900 } do
    local m = hw.machine("virt", { cpus = 2, jitter = false })
    local cell, x, before = m:shared(0), m:lines(1):addr(0), m:stats().sysreg_writes
    m:spawn(1, function(cpu)
      cpu:exec(2000)
      cell:set(1)
      cpu:msr("ICC_EOIR1_EL1", 40) -- 20 ns each
      cpu:msr("TPIDR_EL1", 1)
      m.gicr[1].GICR_ISPENDR0 = 1
    end)
    local seen = m:run(0, function(cpu)
      cpu:exec(cycles)
      cpu:load(x) -- until 900 ns, 1050 ns
      return look[2](m, cell, before)
    end)
    check.eq(seen, want, look[1] .. " after " .. cycles .. " cycles")
  end
end`)
	if err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}
