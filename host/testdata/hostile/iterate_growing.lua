--! memory=32MiB
--! iterate_growing.lua:2: stopped: the memory limit of 32 MiB is reached
local t = {x = 1}
for k in pairs(t) do t[k .. "x" .. #k] = 1 end
