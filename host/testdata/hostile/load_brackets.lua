--! memory=128MiB
--! ok
assert(not load("return " .. string.rep("(", 2^17)))
