--! budget=200000
--! ok
local function f() return xpcall(f, f) end
f()
