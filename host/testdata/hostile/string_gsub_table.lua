--! budget=200000
--! string_gsub_table.lua:1: stopped: the budget of 200000 instructions is used up
local t = setmetatable({}, {__index = function(t, k) return ("x"):rep(1e6) end})
while true do ("abc"):rep(1000):gsub("%w", t) end
