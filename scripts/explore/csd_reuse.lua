-- A call_single_data may be used again once csd_unlock has released it: so what the callee needs, it must have read
-- before, and the unlock must not become visible before that read is done. Three ways to unlock, and one mistake.
local hw, explore, bench = require "hw", require "explore", require "bench"

local SGI = 3

local unlocks = {
  { "smp_store_release", function(cpu, flags) cpu:store(flags, 0, "release") end },
  { "smp_wmb, plain store", function(cpu, flags) cpu:dmb "ishst"; cpu:store(flags, 0) end }, -- orders no load
  { "plain store", function(cpu, flags) cpu:store(flags, 0) end },
}

-- CPU 0 calls CPU 1, and reuses the csd for the next call, with another argument, as soon as it is unlocked.
local function remote_call(name, unlock, late)
  return explore.run {
    name = name, machine = hw.machine("virt", { cpus = 2 }),
    program = function(m)
      local queue, flags = m:lines(1, "queue"):addr(0), m:lines(1, "csd.flags"):addr(0)
      local info = m:lines(1, "csd.info"):addr(0)

      m:cpu(1):on_irq(function(cpu)
        local intid = cpu:mrs "ICC_IAR1_EL1"
        cpu:dsb "sy"
        if not cpu:swap(queue, 0, "acquire_release"):eq(0) then
          local argument
          if not late then argument = cpu:load(info) end
          unlock(cpu, flags) -- csd_unlock
          if late then argument = cpu:load(info) end
          m:assert(argument:eq(1), "the callee reads the argument of the next call")
        end
        cpu:msr("ICC_EOIR1_EL1", intid)
        cpu:msr("ICC_DIR_EL1", intid)
      end)

      m:spawn(0, function(cpu)
        cpu:store(flags, 1) -- csd_lock
        cpu:store(info, 1)
        if cpu:swap(queue, 1, "acquire_release"):eq(0) then
          cpu:dsb "ishst"
          cpu:msr("ICC_SGI1R_EL1", 0x2 + SGI * 2 ^ 24)
        end
        cpu:wait(flags, 0) -- csd_lock_wait
        cpu:store(info, 2) -- the next call
      end)
    end,
  }
end

local failures = {}
local function row(name, unlock, late)
  local r = remote_call(name, unlock, late)
  print(string.format("%-28s %s", r.name, r.verdict))
  if r.counterexample then table.insert(failures, r) end
end
for _, u in ipairs(unlocks) do row(u[1], u[2], false) end
row("argument read after unlock", unlocks[1][2], true)
bench.table(failures[1].counterexample)
print("replay with --replay " .. failures[1].token)
