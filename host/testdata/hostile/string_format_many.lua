--! budget=200000
--! string_format_many.lua:3: stopped: the budget of 200000 instructions is used up
local f = ("%99.99f"):rep(1000)
local t = {} for i = 1, 1000 do t[i] = i end
while true do local _ = f:format(unpack(t)) end
