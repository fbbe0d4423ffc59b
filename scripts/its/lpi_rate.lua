--! args -p devices=1,16 -p events=1,16 -p cpus=1,4 -p rounds=4
-- How many LPIs an ITS delivers: each device sends a message for each of its events at once, and when the last handler
-- has run they send the next ones, so that no LPI finds itself pending. Messages are looked up in the tables one after
-- another, or 16 at once, which is an assumption about the ITS: where the columns differ, LPIs wait for its look-ups,
-- and where they do not, for the redistributors, each of which serves its LPIs in order, or for the CPUs. The shape is
-- that of KVM's selftest vgic_lpi_stress.
local hw, bench, check = require "hw", require "bench", require "check"

local few = { "1", "2", "4", "8", "16", "32", "64" }
local p = bench.params {
  machine = { "qdf2400", doc = "machine with an ITS" },
  devices = { { "1", "16" }, choices = few, doc = "devices" },
  events = { { "1", "16" }, choices = few, doc = "events of each device, which go to the CPUs in turn" },
  cpus = { { "1", "4", "16" }, choices = few, doc = "CPUs that take them" },
  rounds = { 16, doc = "messages of each event after a first one", min = 1 },
}

-- Messages of all events, and the time until the last handler has begun, in ps.
local function round(m, devices, events, last)
  local start = m:now()
  for event = 0, events - 1 do
    for device = 1, devices do m.its:message(device, event) end
  end
  m:run()
  return last:get() - start
end

-- LPIs in a simulated second.
local function rate(devices, events, cpus, translations)
  local m = hw.machine(p.machine, { cpus = math.max(cpus, 2), its = { translations = translations } })
  local taken, last = m:shared(0), m:shared(0)
  m:run(0, function(cpu)
    for device = 1, devices do
      cpu:its_create_device(device, events)
      for event = 0, events - 1 do
        cpu:its_map(device, event, (device * events + event) % cpus)
        cpu:its_unmask(device, event)
      end
    end
  end)
  for device = 1, devices do
    for event = 0, events - 1 do
      m.linux:request_irq(m.linux:its_lpi(device, event), function(cpu)
        taken:add(1)
        last:set(cpu:now())
      end)
    end
  end
  round(m, devices, events, last)
  local took = 0
  for _ = 1, p.rounds do took = took + round(m, devices, events, last) end
  check.eq(taken:get(), devices * events * (p.rounds + 1), "LPIs taken")
  check.eq(#m.its:events(), 0, "events of the ITS")
  m:close()
  return devices * events * p.rounds / (took * 1e-12)
end

local rows = {}
for _, devices in ipairs(p.devices) do
  for _, events in ipairs(p.events) do
    for _, cpus in ipairs(p.cpus) do
      local one = rate(tonumber(devices), tonumber(events), tonumber(cpus), 1)
      local many = rate(tonumber(devices), tonumber(events), tonumber(cpus), 16)
      rows[#rows + 1] = {
        devices, events, cpus, string.format("%.0f", one), string.format("%.0f", many),
        string.format("%.2f", many / one),
      }
    end
  end
end
bench.table {
  title = "LPIs in a simulated second, by how many messages are looked up at once",
  columns = { "devices", "events", "CPUs", "1", "16", "ratio" }, rows = rows,
}
