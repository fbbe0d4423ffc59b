--! memory=128MiB
--! memory_concat_pcall.lua:3: stopped: the memory limit of 128 MiB is reached
local s = "x"
while true do
	pcall(function() s = s .. s end)
end
