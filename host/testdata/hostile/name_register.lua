--! timeout=60s
--! name_register.lua:1: hw.decode: argument 1 "register": expected string, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"... of 33554432 bytes: at most 65536 are taken
hw.decode(("x"):rep(2^25), 1)
