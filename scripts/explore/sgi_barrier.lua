-- Which barrier is enough between a store and the SGI that tells another CPU of it: every order, for each barrier.
local hw, explore, bench = require "hw", require "explore", require "bench"

local barriers = {
  "none", "dmb_ishst", "dmb_ish", "dmb_sy", "dsb_nshst", "dsb_ishld", "dsb_ishst", "dsb_st", "dsb_ish", "dsb_sy",
}
local p = bench.params {
  barrier = { "all", choices = { "all", unpack(barriers) }, doc = "barrier to explore" },
}

-- A value is stored, an SGI sent, and the handler reads the value.
local function publish(barrier)
  return explore.run {
    name = "publish/" .. barrier,
    machine = hw.machine("virt", { cpus = 2, linux = { ipi_barrier = barrier } }),
    program = function(m)
      local data = m:lines(1):addr(0)
      local kind, option = barrier:match "^(d[ms]b)_(%a+)$"
      m:cpu(1):on_irq(function(cpu)
        local intid = cpu:mrs "ICC_IAR1_EL1"
        m:assert(cpu:load(data):eq(1), "the handler reads the old value")
        cpu:msr("ICC_EOIR1_EL1", intid)
        cpu:msr("ICC_DIR_EL1", intid)
      end)
      m:spawn(0, function(cpu)
        cpu:store(data, 1)
        if kind == "dmb" then cpu:dmb(option) elseif kind == "dsb" then cpu:dsb(option) end
        cpu:msr("ICC_SGI1R_EL1", 0x2 + 3 * 2 ^ 24) -- SGI 3 to CPU 1
      end)
    end,
  }
end

-- A DSB for stores orders no loads: one before it may be late, and read what the handler writes.
local function early_load(barrier)
  return explore.run {
    name = "load/" .. barrier, machine = hw.machine("virt", { cpus = 2 }),
    program = function(m)
      local data = m:lines(1, "data"):addr(0)
      m:cpu(1):on_irq(function(cpu)
        local intid = cpu:mrs "ICC_IAR1_EL1"
        cpu:store(data, 1)
        cpu:msr("ICC_EOIR1_EL1", intid)
        cpu:msr("ICC_DIR_EL1", intid)
      end)
      m:spawn(0, function(cpu)
        local before = cpu:load(data)
        cpu:dsb(barrier)
        cpu:msr("ICC_SGI1R_EL1", 0x2 + 3 * 2 ^ 24)
        m:assert(before:eq(0), "the load reads what the handler has written")
      end)
    end,
  }
end

-- The kernel's own calls: each caller publishes a value, and the function that it calls reads it. They are right even
-- without a barrier before the SGI:
-- * llist_add answers whether the queue was empty, and the write of ICC_SGI1R_EL1 stands behind a branch on that. So it
--   comes after the read of the cmpxchg. It may still come before its write.
-- * The write of the cmpxchg comes directly behind what it has read, the empty queue. The handler's xchg comes later
--   than that read. If it, too, found the queue empty, its write would come in between. So it reads the csd.
-- * The cmpxchg is a release: whoever reads the csd sees what was published before it.
-- A barrier is needed where what the handler reads is not reached by way of the queue, as above.
local function call(barrier, crossing)
  return explore.run {
    name = "csd/" .. barrier .. (crossing and "/crossing" or ""),
    machine = hw.machine("virt", { cpus = 2, linux = { ipi_barrier = barrier } }),
    program = function(m)
      local data = { [0] = m:lines(1, "data0"):addr(0), m:lines(1, "data1"):addr(0) }
      for from = 0, crossing and 1 or 0 do
        m:spawn(from, function(cpu)
          cpu:store(data[from], 1)
          cpu:smp_call_function_single(1 - from, function(callee)
            m:assert(callee:load(data[from]):eq(1), "the function reads the old value")
          end, true)
        end)
      end
    end,
  }
end

local failure
for _, barrier in ipairs(barriers) do
  if p.barrier == "all" or p.barrier == barrier then
    local r = publish(barrier)
    print(string.format("%-10s %s", barrier, r.verdict))
    if r.finding then failure = failure or r end
  end
end
if failure then
  bench.table(failure.counterexample)
  print("replay with --replay " .. failure.token)
end

print "\na load before the barrier:"
for _, barrier in ipairs { "ishst", "ishld", "ish" } do
  print(string.format("%-10s %s", "dsb_" .. barrier, early_load(barrier).verdict))
end

print "\nsmp_call_function_single:"
for _, barrier in ipairs { "none", "dsb_ishst" } do
  print(string.format("%-10s %s", barrier, call(barrier, false).verdict))
  print(string.format("%-10s %s", "", "two that cross: " .. call(barrier, true).verdict))
end
