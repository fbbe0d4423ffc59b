--! timeout=60s
--! check_what.lua:1: check.eq: argument 3 "what": expected string, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"... of 33554432 bytes: at most 65536 are taken
check.eq(1, 2, ("x"):rep(2^25))
