--! budget=1000000
--! loop_xpcall_handler.lua:1: stopped: the budget of 1000000 instructions is used up
local function forever() while true do end end
while true do xpcall(error, forever) end
