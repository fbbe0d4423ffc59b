--! budget=200000
--! meta_newindex_loop.lua:1: stack overflow
local t = {} setmetatable(t, {__newindex = function(t, k, v) t[k + 1] = v end})
t[1] = 1
