--! budget=200000
--! option_list.lua:2: stopped: the budget of 200000 instructions is used up
local row, rows = {}, {} for i = 1, 1e4 do row[i] = 1 end for i = 1, 1e4 do rows[i] = row end
bench.table { title = "t", columns = {"a"}, rows = rows }
