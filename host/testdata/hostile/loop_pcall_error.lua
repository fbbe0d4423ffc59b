--! budget=200000
--! loop_pcall_error.lua:3: stopped: the budget of 200000 instructions is used up
while true do
	pcall(error, {})
end
