package api_test

import "testing"

// TestWrongCalls holds the one shape of argument errors.
func TestWrongCalls(t *testing.T) {
	const lamp = `local lamp = shop.lamp() `
	for _, c := range []struct{ source, want string }{
		{lamp + `lamp:set()`, `Lamp:set: argument 1 "level": expected integer in 0..9, got nil`},
		{lamp + `lamp:set("3")`, `Lamp:set: argument 1 "level": expected integer in 0..9, got "3"`},
		{lamp + `lamp:set(10)`, `Lamp:set: argument 1 "level": expected integer in 0..9, got 10`},
		{lamp + `lamp:set(-1)`, `Lamp:set: argument 1 "level": expected integer in 0..9, got -1`},
		{lamp + `lamp:set(1.5)`,
			`Lamp:set: argument 1 "level": expected integer in 0..9, got 1.5, which is not an integer`},
		{lamp + `lamp:set(0/0)`,
			`Lamp:set: argument 1 "level": expected integer in 0..9, got the number NaN, which is not an integer`},
		{lamp + `lamp:set(1, 0)`, `Lamp:set: argument 2 "ms": expected integer >= 1, got 0`},
		{lamp + `lamp:set(1, 2, 3)`, `Lamp:set: expected at most 2 arguments, got 3`},
		{lamp + `lamp.set(1)`, `Lamp:set: called with a dot; write object:set(...), with a colon, on a Lamp (got 1)`},
		{lamp + `lamp.set()`, `Lamp:set: called with a dot; write object:set(...), with a colon, on a Lamp (got nil)`},
		{lamp + `lamp.set(shop.rack {name = ""}, 1)`,
			`Lamp:set: called with a dot; write object:set(...), with a colon, on a Lamp (got Rack)`},
		{lamp + `lamp:sett(1)`, `Lamp has no method or field "sett"; did you mean "set"?`},
		{lamp + `lamp:explode(1)`, `Lamp has no method or field "explode"; there is mark, paint, plug, set`},
		{lamp + `lamp.level = 1`, `Lamp has no method or field "level"; there is mark, paint, plug, set`},
		{lamp + `lamp.set = 1`, `Lamp:set is a method and cannot be replaced`},
		{lamp + `lamp:mark(-1)`, `Lamp:mark: argument 1 "value": expected u64 or integer in 0..2^53-1, got -1`},
		{lamp + `lamp:mark(0.5)`,
			`Lamp:mark: argument 1 "value": expected u64 or integer in 0..2^53-1, got 0.5, which is not an integer`},
		{lamp + `lamp:mark(2^53)`, `Lamp:mark: argument 1 "value": expected u64 or integer in 0..2^53-1, got ` +
			`9007199254740992, which is beyond the exact range of Lua numbers: write u64"0x..."`},
		{lamp + `lamp:mark("7")`, `Lamp:mark: argument 1 "value": expected u64 or integer in 0..2^53-1, got "7"`},
		{lamp + `lamp:mark(lamp)`, `Lamp:mark: argument 1 "value": expected u64 or integer in 0..2^53-1, got Lamp`},
		{lamp + `lamp:set(u64"0x10")`, `Lamp:set: argument 1 "level": expected integer in 0..9, got u64 0x10`},
		{lamp + `lamp:paint "gren"`,
			`Lamp:paint: argument 1 "color": expected one of "red", "green", "blue", got "gren"; did you mean "green"?`},
		{lamp + `lamp:plug(7)`, `Lamp:plug: argument 1 "socket": expected socket in 0..3, got 7`},
		{lamp + `shop.light(lamp, 1, 2, 10)`, `shop.light: argument 4 "levels": expected integer in 0..9, got 10`},
		{`shop.light(shop)`, `shop.light: called with a colon; write shop.light(...)`},
		{`shop:lamp()`, `shop.lamp: called with a colon; write shop.lamp(...)`},
		{`shop.light {}`, `shop.light: argument 1 "lamp": expected Lamp, got table`},
		{`shop.lmap()`, `module shop has no "lmap"; did you mean "lamp"?`},
		{`shop.lamp = 1`, `module shop is read-only`},
		{`shop.preset "vrit"`, `shop.preset: argument 1 "name": no preset "vrit"; did you mean "virt"?`},
	} {
		_, err := run(t, c.source)
		if err == nil || err.Error() != "test.lua:1: "+c.want {
			t.Errorf("%s\n got %v\nwant test.lua:1: %s", c.source, err, c.want)
		}
	}
}

func TestWrongKinds(t *testing.T) {
	const prefix = "test.lua:1: shop.kinds: "
	for _, c := range []struct{ args, want string }{
		{`"x"`, `argument 1 "n": expected number, got "x"`},
		{`0/0`, `argument 1 "n": expected number, got the number NaN`},
		{`1, 2`, `argument 2 "s": expected string, got 2`},
		{`1, "", nil`, `argument 3 "b": expected boolean, got nil`},
		{`1, "", true, "t"`, `argument 4 "t": expected table, got "t"`},
		{`1, "", true, {}, {}`, `argument 5 "f": expected function, got table`},
		{`1, "", true, {}, print`, `argument 6 "a": expected any value, got nil`},
		{`1, "", true, {}, print, 1, 5`, `argument 7 "e": expected string or table, got 5`},
		{`1, "", true, {}, print, 1, {volt = 1}`, `argument 7 "e": no option "volt"; did you mean "volts"?`},
	} {
		_, err := run(t, "shop.kinds("+c.args+")")
		if err == nil || err.Error() != prefix+c.want {
			t.Errorf("%s\n got %v\nwant %s%s", c.args, err, prefix, c.want)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	const prefix = `test.lua:1: shop.rack: argument 1 "o": `
	for _, c := range []struct{ options, want string }{
		{`{}`, `name: expected string, got nil`},
		{`{name = "a", mian = {}}`, `no option "mian"; did you mean "mains"?`},
		{`{name = "a", mains = 5}`, `mains: expected table, got 5`},
		{`{name = "a", mains = {volts = 5}}`, `mains.volts: expected integer in 110..240, got 5`},
		{`{name = "a", mains = {shape = "sinus"}}`,
			`mains.shape: expected one of "sine", "square", got "sinus"; did you mean "sine"?`},
		{`{name = "a", mains = {color = 1}}`, `mains: no option "color"; there is shape, volts`},
		{`{name = "a", levels = {1, 2, 10}}`, `levels[3]: expected integer in 0..9, got 10`},
		{`{name = "a", levels = {1, n = 2}}`, `levels: expected list of integer in 0..9, got an entry named "n"`},
		{`{name = "a", pair = {"x"}}`, `pair[2]: expected function, got nothing`},
		{`{name = "a", pair = {"x", "y"}}`, `pair[2]: expected function, got "y"`},
		{`{name = "a", pair = {"x", print, 3}}`, `pair: expected {string, function}, got 3 entries`},
		{`{name = "a", id = -1}`, `id: expected u64 or integer in 0..2^53-1, got -1`},
		{`{"a"}`, `name: expected string, got nil`},
		{`{"a", name = "b"}`, `expected named options, got "a" at position 1`},
	} {
		_, err := run(t, "shop.rack("+c.options+")")
		if err == nil || err.Error() != prefix+c.want {
			t.Errorf("%s\n got %v\nwant %s%s", c.options, err, prefix, c.want)
		}
	}
}

func TestMembers(t *testing.T) {
	const rack = `local rack = shop.rack {name = "a", mains = {volts = 120}} `
	for _, c := range []struct{ source, want string }{
		{`print(rack, rack.name, rack.level, rack[3], shop, shop.answer)`, "rack of 4\tr1\t120\t[Lamp]\tmodule shop\t42"},
		{`rack.level = 7 print(rack.level)`, "7"},
		{`print(getmetatable(rack), getmetatable(shop))`, "Rack\tshop"},
	} {
		got, err := run(t, rack+c.source)
		if err != nil || got != c.want {
			t.Errorf("%s\n got %s %v\nwant %s", c.source, got, err, c.want)
		}
	}
	for _, c := range []struct{ source, want string }{
		{`rack.name = "b"`, `Rack.name is read-only`},
		{`rack.level = 10`, `Rack.level: expected integer in 0..9, got 10`},
		{`rack[0] = 1`, `Rack[0] is read-only`},
		{`print(rack[4])`, `Rack: index: expected integer in 0..3, got 4`},
		{`print(rack.levle)`, `Rack has no method or field "levle"; did you mean "level"?`},
		{`rack.levle = 1`, `Rack has no method or field "levle"; did you mean "level"?`},
		{`setmetatable(rack, {})`, `bad argument #1 to setmetatable (table expected, got userdata)`},
	} {
		_, err := run(t, rack+c.source)
		if err == nil || err.Error() != "test.lua:1: "+c.want {
			t.Errorf("%s\n got %v\nwant test.lua:1: %s", c.source, err, c.want)
		}
	}
}
