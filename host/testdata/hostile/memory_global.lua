--! memory=32MiB
--! memory_global.lua:2: stopped: the memory limit of 32 MiB is reached
t = {}
while true do t = {t, t} end
