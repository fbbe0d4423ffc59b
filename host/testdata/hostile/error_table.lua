--! budget=200000
--! error_table.lua:1: error object: {code = 7}
error({code = 7})
