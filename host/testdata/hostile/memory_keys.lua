--! memory=128MiB
--! memory_keys.lua:2: stopped: the memory limit of 128 MiB is reached
local t, i = {}, 0
while true do i = i + 1 t["key" .. i] = i end
