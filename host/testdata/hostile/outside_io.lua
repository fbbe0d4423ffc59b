--! budget=200000
--! outside_io.lua:1: undefined global "io"
io.open("/etc/passwd")
