--! budget=1000000
--! ok
local function f() return xpcall(f, f) end
f()
