--! budget=200000
--! ok
local t = {} t.t = t print(t) print(tostring(t), #tostring(print))
