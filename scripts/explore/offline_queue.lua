-- Callbacks queued to a CPU that goes offline: who runs them (8d056c48e486), and does the kernel notice (9e949a388635)?
local hw, explore, bench = require "hw", require "explore", require "bench"

local SGI = 3

local function queue_and_signal(cpu, queue)
  if cpu:swap(queue, 1, "acquire_release"):eq(0) then
    cpu:dsb "ishst"
    cpu:msr("ICC_SGI1R_EL1", 0x2 + SGI * 2 ^ 24)
  end
end

local function handler(m, flush)
  m:cpu(1):on_irq(function(cpu)
    local intid = cpu:mrs "ICC_IAR1_EL1"
    cpu:dsb "sy"
    flush(cpu)
    cpu:msr("ICC_EOIR1_EL1", intid)
    cpu:msr("ICC_DIR_EL1", intid)
  end)
end

-- The CPU that dies has interrupts masked while the others are stopped: an IPI that has not come by then never does.
-- With flush, the dying step runs what is queued.
local function dying(name, flush)
  local ran
  return explore.run {
    name = name, machine = hw.machine("virt", { cpus = 2 }),
    program = function(m)
      ran = 0
      local lines = m:lines(2)
      local queue, stopped = lines:addr(0), lines:addr(1)
      local function flush_queue(cpu)
        if not cpu:swap(queue, 0, "acquire_release"):eq(0) then ran = ran + 1 end
      end
      handler(m, flush_queue)
      m:spawn(0, function(cpu)
        queue_and_signal(cpu, queue)
        cpu:store(stopped, 1, "release") -- stop_machine: the caller comes to rest
      end)
      m:spawn(1, function(cpu)
        cpu:mask_irq(true)
        cpu:wait(stopped, 1)
        if flush then flush_queue(cpu) end   -- smpcfd_dying_cpu
        cpu:msr("ICC_IGRPEN1_EL1", 0)        -- CPU_OFF: no interrupt comes any more
      end)
    end,
    check = function() if ran ~= 1 then return string.format("the callback ran %d times", ran) end end,
  }
end

-- flush_smp_call_function_queue on a CPU that is offline warns if there is something to run. It has to look at the list
-- that it has taken: the queue is empty again.
local function warning(name, looks_at_list)
  local ran, warned
  return explore.run {
    name = name, machine = hw.machine("virt", { cpus = 2 }),
    program = function(m)
      ran, warned = false, false
      local queue = m:lines(1):addr(0)
      handler(m, function(cpu)
        local list = cpu:swap(queue, 0, "acquire_release") -- llist_del_all
        local pending = looks_at_list and list or cpu:load(queue)
        if not pending:eq(0) then warned = true end        -- the CPU is offline: WARN
        if not list:eq(0) then ran = true end
      end)
      m:spawn(0, function(cpu) queue_and_signal(cpu, queue) end)
    end,
    check = function()
      if ran and not warned then return "a callback ran on an offline CPU, and nobody was warned" end
    end,
  }
end

local results = {
  dying("no flush in the dying step", false),
  dying("flush in the dying step", true),
  warning("offline check of the queue", false),
  warning("offline check of the list", true),
}
for _, r in ipairs(results) do print(string.format("%-28s %s", r.name, r.verdict)) end
bench.table(results[1].counterexample)
print("replay with --replay " .. results[1].token)
