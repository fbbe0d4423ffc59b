--! budget=200000
--! meta_lt_sort.lua:1: stopped: the budget of 200000 instructions is used up
local mt = {} mt.__lt = function(a, b) return math.random() < 0.5 end
local t = {} for i = 1, 200 do t[i] = setmetatable({}, mt) end
while true do pcall(table.sort, t) end
