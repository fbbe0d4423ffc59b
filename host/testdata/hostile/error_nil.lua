--! budget=200000
--! error_nil.lua:1: error object: nil
error(nil)
