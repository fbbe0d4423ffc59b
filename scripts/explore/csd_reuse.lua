-- A remote call whose callee reads the csd after it has unlocked it: the caller may have used it again by then.
local hw, explore, bench = require "hw", require "explore", require "bench"

local SGI = 3

-- The caller fills the csd, queues it, interrupts the callee if the queue was empty, waits until the csd is unlocked,
-- and uses it for the next call. With late, the callee takes the argument out of the csd after csd_unlock.
local function remote_call(name, late)
  return explore.run {
    name = name,
    machine = hw.machine("virt", { cpus = 2 }),
    program = function(m)
      local lines = m:lines(3)
      local queue, flags, info = lines:addr(0), lines:addr(1), lines:addr(2)

      m:cpu(1):on_irq(function(cpu)
        local intid = cpu:mrs "ICC_IAR1_EL1"
        cpu:dsb "sy"
        if not cpu:swap(queue, 0, "acquire_release"):eq(0) then
          local argument
          if not late then argument = cpu:load(info) end
          cpu:store(flags, 0, "release") -- csd_unlock
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

local early = remote_call("read before the unlock", false)
local late = remote_call("read after the unlock", true)
for _, r in ipairs { early, late } do print(string.format("%-24s %s", r.name, r.verdict)) end
if late.counterexample then
  bench.table(late.counterexample)
  print("replay with --replay " .. late.token)
end
