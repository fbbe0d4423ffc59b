--! budget=200000
--! meta_eq_loop.lua:1: stack overflow
local mt = {} mt.__eq = function(a, b) return a == b end
local a, b = setmetatable({}, mt), setmetatable({}, mt)
return a == b
