--! budget=200000
--! module_metatable.lua:1: cannot change a protected metatable
setmetatable(go, {})
