--! budget=200000
--! string_gsub_function_loop.lua:2: stopped: the budget of 200000 instructions is used up
local s = ("x"):rep(1e5)
while true do s:gsub(".", function(c) return c:rep(10) end) end
