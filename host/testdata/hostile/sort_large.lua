--! timeout=100ms
--! sort_large.lua:1: stopped: context deadline exceeded
local t = {} for i = 1, 1e5 do t[i] = i * 7919 % 100003 end while true do table.sort(t) t[1] = 1e6 end
