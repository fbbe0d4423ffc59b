--! budget=200000
--! stack_require.lua:1: require "nothing": no such module, and no file nothing.lua beside the script; built in are bench, check, explore, go, hw, u64
require "nothing"
