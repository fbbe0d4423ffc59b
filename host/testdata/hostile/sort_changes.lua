--! budget=200000
--! ok
local t = {} for i = 1, 100 do t[i] = -i end
table.sort(t, function(a, b) t[1] = nil t[200] = 1 return a < b end)
