--! budget=200000
--! loop_xpcall_handler.lua:1: stopped: the budget of 200000 instructions is used up
local function forever() while true do end end
while true do xpcall(error, forever) end
