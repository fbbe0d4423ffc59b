--! budget=200000
--! stack_metamethod.lua:1: stack overflow
local mt = {} mt.__index = function(t, k) return t[k] .. 1 end
return setmetatable({}, mt).x
