--! budget=200000
--! machine_lines_huge.lua:1: Machine:lines: argument 1 "count": expected integer in 1..1048576, got 1099511627776
hw.machine("virt"):lines(2^40)
