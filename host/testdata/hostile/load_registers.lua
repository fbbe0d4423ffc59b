--! budget=200000
--! ok
assert(not load("return " .. string.rep("x..", 300) .. "x"))
