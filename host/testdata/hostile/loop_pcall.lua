--! budget=200000
--! loop_pcall.lua:2: stopped: the budget of 200000 instructions is used up
while true do
	pcall(function() while true do end end)
end
