--! timeout=60s
--! option_entries.lua:2: bench.params: argument 1 "declarations": expected fewer than 4096 named entries
local t = {} for i = 1, 1e4 do t["p" .. i] = 1 end
bench.params(t)
