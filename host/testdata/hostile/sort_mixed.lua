--! budget=200000
--! sort_mixed.lua:1: attempt to compare string with number
table.sort({3, "x", {}})
