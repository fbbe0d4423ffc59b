--! timeout=60s
--! name_preset.lua:1: hw.machine: argument 1 "topology": expected one of "arm80", "hi1616", "kunpeng920", "qdf2400", "virt", got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"... of 33554432 bytes: at most 65536 are taken
hw.machine(("x"):rep(2^25))
