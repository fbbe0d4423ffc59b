--! budget=1000000
--! error_object_tostring.lua:1: error object: error_object_tostring.lua
error(setmetatable({}, {__tostring = function() error "inside" end}))
