--! budget=200000
--! ok
local f, message = load("return " .. string.rep("{", 5000) .. string.rep("}", 5000))
assert(not f and message:find "nested more than 1000 levels deep", message)
