--! budget=1000000
--! check_large.lua:3: stopped: the budget of 1000000 instructions is used up
local a, b = {}, {}
for i = 1, 1e5 do a[i], b[i] = i, i end
while true do check.eq(a, b) end
