--! args -p rounds=12
-- How long a contended lock takes from one CPU to the next: a ticket lock and a queued one, by the number of waiters.
--
-- All waiters of a ticket lock spin on one line. Each hand-over takes the line from all of them, and they all ask its
-- home for it again, which serves them one after another: the next owner's turn comes later the more there are. In a
-- queued lock (MCS, of which the kernel's qspinlock is one) each spins on a line of its own.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  machines = { { "kunpeng920", "virt" }, choices = hw.presets(), doc = "presets" },
  waiters = { { "2", "8", "24", "95" }, doc = "CPUs that wait while another one has the lock" },
  rounds = { 50, doc = "times that each CPU takes the lock", min = 2 },
  section = { 100, doc = "cycles of the critical section", min = 0 },
}

-- The ticket lock that arm64 had before 4.16: both numbers stand in one line.
local function ticket_lock(m)
  local line = m:lines(1, "ticket")
  local next_ticket, owner = line:addr(0), line:addr(0) + 8
  return function(cpu)
    local ticket = cpu:fetch_add(next_ticket, 1, "acquire")
    cpu:wait(owner, ticket)
    return ticket
  end, function(cpu, ticket)
    cpu:store(owner, ticket + 1, "release")
  end
end

-- An MCS lock: the tail, and for each CPU a node { next, may go } on the CPU's own node of memory.
local function queued_lock(m)
  local tail, nodes = m:lines(1, "tail"):addr(0), {}
  for cpu = 0, m.ncpus - 1 do
    nodes[cpu] = m:lines(1, "node of cpu " .. cpu, { node = m:cpu(cpu).die }):addr(0)
  end
  local function somebody(v) return not v:eq(0) end
  return function(cpu)
    local node = nodes[cpu:id()]
    cpu:store(node, 0)
    cpu:store(node + 8, 0)
    local before = cpu:swap(tail, node, "acquire_release")
    if somebody(before) then
      cpu:store(before, node)
      cpu:wait(node + 8, 1)
    end
    return node
  end, function(cpu, node)
    local after = cpu:load(node)
    if after:eq(0) then
      if cpu:cas(tail, node, 0, "release"):eq(node) then return end
      after = cpu:wait(node, somebody)
    end
    cpu:store(after + 8, 1, "release")
  end
end

-- The mean time of a hand-over: what passes for each time that the lock is taken, without the critical section.
local function handover(preset, new_lock, waiters)
  local m = hw.machine(preset, { cpus = waiters + 1 })
  local lock, unlock = new_lock(m)
  local start = m:now()
  for cpu = 0, waiters do
    m:spawn(cpu, function(cpu)
      for _ = 1, p.rounds do
        local held = lock(cpu)
        cpu:exec(p.section)
        unlock(cpu, held)
      end
    end)
  end
  m:run()
  local taken = p.rounds * (waiters + 1)
  local ns = (m:now() - start) / taken / 1000 - p.section * 1e9 / m.spec.clock_hz:tonumber()
  m:close()
  return string.format("%.1f", ns)
end

for _, preset in ipairs(p.machines) do
  local rows = {}
  for i, n in ipairs(p.waiters) do
    local waiters = tonumber(n)
    rows[i] = { n, handover(preset, ticket_lock, waiters), handover(preset, queued_lock, waiters) }
  end
  bench.table {
    title = preset .. ": ns of a hand-over", columns = { "waiters", "ticket lock", "queued lock" }, rows = rows,
  }
end
