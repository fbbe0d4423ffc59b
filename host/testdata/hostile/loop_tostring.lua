--! budget=200000
--! loop_tostring.lua:1: stopped: the budget of 200000 instructions is used up
print(setmetatable({}, {__tostring = function() while true do end end}))
