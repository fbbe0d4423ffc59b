--! budget=600000
--! check_keys.lua:3: stopped: the budget of 600000 instructions is used up
local function t() local t = {} for i = 1, 2e4 do t["k" .. i] = i end return t end
local a, b = t(), t()
while true do check.eq(a, b) end
