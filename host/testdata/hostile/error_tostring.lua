--! budget=200000
--! error_tostring.lua:1: inside
print(setmetatable({}, {__tostring = function() error "inside" end}))
