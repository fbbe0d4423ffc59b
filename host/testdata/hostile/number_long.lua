--! memory=32MiB
--! ok
assert(tonumber(string.rep("0", 2^22)) == nil)
assert(tonumber(string.rep("0", 100) .. "7") == 7)
