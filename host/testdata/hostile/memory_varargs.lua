--! memory=128MiB
--! memory_varargs.lua:3: registry overflow
local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, ...) end
local t = {} for i = 1, 100000 do t[i] = i end
f(unpack(t))
