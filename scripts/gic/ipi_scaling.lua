--! args -p cpus=2,16,80 -p calls=2
-- How interrupts between CPUs scale: one call after another, one call to many, and one write for all, on 2 to 4096 CPUs
-- of which one write of ICC_SGI1R_EL1 can name 1, 4 or 16.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  cpus = {
    { "2", "4", "8", "16", "32", "64", "80", "128", "256", "512", "1024", "2048", "4096" },
    choices = { "2", "4", "8", "16", "32", "64", "80", "128", "256", "512", "1024", "2048", "4096" },
    doc = "CPUs of the machines",
  },
  per_aff0 = { { "1", "4", "16" }, choices = { "1", "4", "16" }, doc = "CPUs that one write can name" },
  calls = { 4, doc = "calls after a first one, of which the mean is printed", min = 1 },
}

local function machine(cpus, per_aff0, broadcast)
  return hw.machine("virt", {
    cpus = cpus, per_aff0 = math.min(per_aff0, cpus), jitter = false, linux = { sgi_broadcast = broadcast },
    latency = { sgi1r_issue = 20, sgi1r_accept = 160 },
  })
end

-- Mean time of a call that reaches all other CPUs, until all have run it, in ns.
local function time(m, call)
  return m:run(0, function(cpu)
    call(cpu)
    local start = cpu:now()
    for _ = 1, p.calls do call(cpu) end
    return (cpu:now() - start) / p.calls / 1000
  end)
end

local ways = {
  { "single", "list", function(m)
    return function(cpu)
      for target = 1, m.ncpus - 1 do cpu:smp_call_function_single(target) end
    end
  end },
  { "many", "list", function() return function(cpu) cpu:on_each_cpu() end end },
  { "broadcast", "fixed", function() return function(cpu) cpu:on_each_cpu() end end },
}

local columns, rows, series, at = { "CPUs" }, {}, {}, {}
local function one_series(name)
  columns[#columns + 1] = name .. ", us"
  series[#series + 1] = { name, at = at, values = {} }
  return series[#series].values
end

for _, way in ipairs(ways) do
  for _, per_aff0 in ipairs(way[1] == "many" and p.per_aff0 or { "16" }) do
    local values = one_series(way[1] == "many" and string.format("many, %s per Aff0", per_aff0) or way[1])
    for i, text in ipairs(p.cpus) do
      local cpus = tonumber(text)
      at[i] = cpus
      rows[i] = rows[i] or { cpus }
      local m = machine(cpus, tonumber(per_aff0), way[2])
      values[i] = time(m, way[3](m))
      rows[i][#rows[i] + 1] = string.format("%.3f", values[i] / 1000)
      m:close()
    end
  end
end

bench.table { title = "A function on all CPUs, until all have run it", columns = columns, rows = rows }
for _, s in ipairs(series) do
  for i, v in ipairs(s.values) do s.values[i] = v / s.at[i] end
end
bench.chart {
  title = "A function on all CPUs, for each CPU", kind = "lines", x = "CPUs", y = "time (ns)", series = series,
}
