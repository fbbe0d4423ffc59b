--! budget=200000
--! error_rethrown.lua:1: stack overflow: too many protected calls inside one another
local function f(n) local ok, e = pcall(f, n + 1) error(e, 0) end
f(1)
