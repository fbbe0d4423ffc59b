--! budget=200000
--! string_gsub_error.lua:2: stopped: the budget of 200000 instructions is used up
local s = ("x"):rep(1000)
while true do pcall(string.gsub, s, "x", function() error({}) end) end
