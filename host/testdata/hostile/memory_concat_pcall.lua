--! memory=32MiB
--! memory_concat_pcall.lua:3: stopped: the memory limit of 32 MiB is reached
local s = "x"
while true do
	pcall(function() s = s .. s end)
end
