--! budget=1000000
--! ok
assert(string.dump == nil)
assert(not load("\27Lua"))
