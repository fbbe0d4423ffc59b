--! budget=200000
--! outside_os.lua:1: undefined global "os"
os.exit(0)
