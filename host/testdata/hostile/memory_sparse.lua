--! memory=32MiB
--! memory_sparse.lua:3: stopped: the memory limit of 32 MiB is reached
local t = {}
for i = 1, 1000 do
	t[i] = {} t[i][2^26 - 1] = 1
end
