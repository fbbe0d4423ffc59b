--! timeout=60s
--! 1 check failed
local a, b = {}, {}
for i = 1, 1e5 do a, b = {a}, {b} end
check.eq(a, b)
