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

-- The kernel's own call: the cmpxchg that queues the csd stands before the SGI.
local function call(barrier, atomics)
  return explore.run {
    name = "csd/" .. barrier .. "/" .. atomics, atomics = atomics,
    machine = hw.machine("virt", { cpus = 2, linux = { ipi_barrier = barrier } }),
    program = function(m)
      local data = m:lines(1):addr(0)
      m:spawn(0, function(cpu)
        cpu:store(data, 1)
        cpu:smp_call_function_single(1, function(callee)
          m:assert(callee:load(data):eq(1), "the function reads the old value")
        end, true)
      end)
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

print "\nsmp_call_function_single without a barrier:"
local performed = call("none", "performed")
print(string.format("%-10s %s%s", "performed", performed.verdict,
  performed.verified and ": hidden by the atomic, not guaranteed" or ""))
local buffered = call("none", "buffered")
print(string.format("%-10s %s", "buffered", buffered.verdict))
if buffered.counterexample then bench.table(buffered.counterexample) end
print("\nwith dsb_ishst, buffered: " .. call("dsb_ishst", "buffered").verdict)
