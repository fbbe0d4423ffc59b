--! timeout=60s
--! ok
local a, b = {}, {}
for i = 1, 900 do a, b = {a}, {b} end
check.eq(a, b)
