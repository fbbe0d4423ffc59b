--! budget=200000
--! error_tostring_type.lua:1: __tostring must return a string
print(setmetatable({}, {__tostring = function() return {} end}))
