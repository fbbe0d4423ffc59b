--! budget=100000
--! meta_call_chain.lua:3: stopped: the budget of 100000 instructions is used up
local f = function() end
for i = 1, 300 do f = setmetatable({}, {__call = f}) end
while true do pcall(f) end
