--! budget=50000
--! error_in_handler_nested.lua:1: stopped: the budget of 50000 instructions is used up
local function bad(m) error(m .. "!", 0) end
local n = 0
while true do n = n + 1 xpcall(function() xpcall(error, bad) error "x" end, bad) end
