--! memory=32MiB
--! memory_closures.lua:2: stopped: the memory limit of 32 MiB is reached
local f
while true do local g = f f = function() return g end end
