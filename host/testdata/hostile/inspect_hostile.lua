--! budget=200000
--! inspect_hostile.lua:2: stopped: the budget of 200000 instructions is used up
local t = {} t[t] = t for i = 1, 1e4 do t[i] = setmetatable({}, {__tostring = function() while true do end end}) end
while true do inspect(t, t, t) end
