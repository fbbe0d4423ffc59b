--! budget=200000
--! error_tostring_forever.lua:1: stopped: the budget of 200000 instructions is used up
error(setmetatable({}, {__tostring = function() while true do end end}))
