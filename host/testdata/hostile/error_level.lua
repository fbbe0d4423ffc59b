--! budget=200000
--! ok
for _, level in ipairs {-5, 0, 3, 2^31, 2^60, 1e308} do assert(not pcall(error, "x", level)) end
