--! timeout=60s
--! name_require.lua:1: require: a name of 33554432 characters
require(("x"):rep(2^25))
