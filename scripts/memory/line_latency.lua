-- How long a load takes: by where the line comes from, and by the node that is its home.
--
-- A line that another CPU holds comes over three legs: the request to the home, from there to the holder, and the line
-- back. So two CPUs of one cluster are as far apart as two dies if the home of what they share is on another die.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  machines = { { "kunpeng920", "virt" }, choices = hw.presets(), doc = "presets" },
  from = { 0, doc = "CPU that loads", min = 0 },
}

-- virt is one die unless a topology is asked for.
local topologies = { virt = { sockets = 2, dies = 2, clusters = 2, cores = 4 } }

local function new_machine(preset)
  local changes = { jitter = false }
  for name, value in pairs(topologies[preset] or {}) do changes[name] = value end
  return hw.machine(preset, changes)
end

-- The first CPU at each distance, from the nearest.
local function holders(m)
  local list, seen = {}, {}
  for cpu = 0, m.ncpus - 1 do
    local distance = m:distance(p.from, cpu)
    if not seen[distance] then
      seen[distance] = true
      list[#list + 1] = { distance, cpu }
    end
  end
  return list
end

-- The time of a load of a line that a CPU has written, or nobody since the boot.
local function load_ns(m, holder, node)
  local line = m:lines(1, nil, { node = node }):addr(0)
  if holder then
    m:run(holder, function(cpu)
      cpu:store(line, 1)
      cpu:dsb "ish"
    end)
  end
  return m:run(p.from, function(cpu)
    local start = cpu:now()
    cpu:load(line)
    return cpu:now() - start
  end) / 1000
end

for _, preset in ipairs(p.machines) do
  local m = new_machine(preset)
  local nodes = m.spec.sockets * m.spec.dies
  local columns, rows = { "line held by", "CPU" }, {}
  for node = 0, nodes - 1 do columns[#columns + 1] = "home node " .. node end
  local function row(name, holder)
    local cells = { name, holder and tostring(holder) or "-" }
    for node = 0, nodes - 1 do cells[#cells + 1] = string.format("%.3f", load_ns(m, holder, node)) end
    rows[#rows + 1] = cells
  end
  for _, holder in ipairs(holders(m)) do row(holder[1], holder[2]) end
  row("nobody", nil)
  bench.table {
    title = string.format("%s: ns for a load by CPU %d, which is on node %d", preset, p.from, m:cpu(p.from).die),
    columns = columns, rows = rows,
  }
end
