--! budget=1000000
--! loop_pcall_error.lua:2: stopped: the budget of 1000000 instructions is used up
while true do
	pcall(error, {})
end
