--! memory=32MiB
--! memory_keys.lua:2: stopped: the memory limit of 32 MiB is reached
local t, i = {}, 0
while true do i = i + 1 t["key" .. i] = i end
