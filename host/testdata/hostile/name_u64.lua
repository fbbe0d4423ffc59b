--! timeout=60s
--! name_u64.lua:1: u64: argument 1 "value": expected u64 or integer in 0..2^53-1 or string, got "111111111111111111111111111111111111111111111111111111111111"... of 33554432 bytes: at most 65536 are taken
u64(("1"):rep(2^25))
