--! budget=200000
--! globals_metatable.lua:1: cannot change a protected metatable
setmetatable(_G, {__index = function() return print end})
