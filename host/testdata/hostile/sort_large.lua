--! timeout=100ms
--! sort_large.lua:2: stopped: context deadline exceeded
local t = {} for i = 1, 100000 do t[i] = i * 7919 % 100003 end
while true do table.sort(t) table.sort(t, function(a, b) return a > b end) end
