--! budget=200000
--! stack_tostring.lua:2: stack overflow
local mt = {}
mt.__tostring = function(t) return tostring(t) .. "" end
print(setmetatable({}, mt))
