--! budget=200000
--! meta_concat_loop.lua:1: stack overflow
local mt = {} mt.__concat = function(a, b) return a .. b end
return setmetatable({}, mt) .. "x"
