--! budget=200000
--! error_object_tostring.lua:1: error object: {}
error(setmetatable({}, {__tostring = function() error "inside" end}))
