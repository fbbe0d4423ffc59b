--! budget=200000
--! check_hostile.lua:2: stopped: the budget of 200000 instructions is used up
local mt = {__tostring = function() error "x" end, __eq = function() while true do end end}
while true do check.eq(setmetatable({}, mt), setmetatable({}, mt)) end
