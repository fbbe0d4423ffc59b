--! budget=200000
--! error_tostring_deep.lua:2: error object: {}
local mt = {} mt.__tostring = function(t) return tostring(setmetatable({}, mt)) end
error(setmetatable({}, mt))
