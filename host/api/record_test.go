package api_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

type state uint8

func (s state) String() string { return [...]string{"idle", "busy"}[s] }

type port struct {
	Name  string
	State state
}

type stats struct {
	Hits      uint64
	RWPDelay  int64
	On        bool
	Ports     []port
	First     port
	Counters  [2]uint64
	NCPUs     int `lua:"ncpus"`
	unexposed int
}

var statsClass = api.NewRecord[stats]("Stats", "Figures.", "s", map[string]string{
	"hits": "Hits.", "rwp_delay": "Delay in ps.", "on": "Whether on.", "ports": "Ports.", "ports.name": "Name.",
	"ports.state": "State.", "first": "First port.", "first.name": "Name.", "first.state": "State.",
	"counters": "Counters.", "ncpus": "CPUs.",
})

func runRecord(t *testing.T, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h, err := host.New(host.Options{Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.State().SetGlobal("s", statsClass.New(h.State(), stats{
		Hits: 0xffff800000000001, RWPDelay: 1500, On: true, Ports: []port{{"a", 0}, {"b", 1}},
		First: port{"f", 1}, Counters: [2]uint64{1, 1 << 60}, NCPUs: 96, unexposed: 1,
	}))
	err = h.Run(context.Background(), "test.lua", source)
	return out.String(), err
}

func TestRecord(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`s.hits`, "0xffff_8000_0000_0001"},
		{`s.hits:bits(63, 48)`, "0xffff"},
		{`s.rwp_delay + 1, s.on, s.ncpus`, "1501\ttrue\t96"},
		{`#s.ports, s.ports[2].name, s.ports[2].state`, "2\tb\tbusy"},
		{`s.first, s.ports[1]`, `{name = "f", state = "busy"}` + "\t" + `{name = "a", state = "idle"}`},
		{`s`, `{hits = 0xffff_8000_0000_0001, rwp_delay = 1500, on = true, ` +
			`ports = {{name = "a", state = "idle"}, {name = "b", state = "busy"}}, ` +
			`first = {name = "f", state = "busy"}, counters = {0x1, 0x1000_0000_0000_0000}, ncpus = 96}`},
		{`#s.counters, s.counters[2]`, "2\t0x1000_0000_0000_0000"},
		{`unpack(s.ports)`, `{name = "a", state = "idle"}` + "\t" + `{name = "b", state = "busy"}`},
	} {
		got, err := runRecord(t, "print("+c.expr+")")
		if err != nil || got != c.want+"\n" {
			t.Errorf("%s: got %q %v, want %q", c.expr, got, err, c.want)
		}
	}
	for _, c := range []struct{ source, want string }{
		{`print(s.hitz)`, `Stats has no method or field "hitz"; did you mean "hits"?`},
		{`print(s.Hits)`, `Stats has no method or field "Hits"; did you mean "hits"?`},
		{`print(s.unexposed)`,
			`Stats has no method or field "unexposed"; there is counters, first, hits, ncpus, on, ports, rwp_delay`},
		{`print(s.first.nme)`, `Port has no method or field "nme"; did you mean "name"?`},
		{`s.hits = 1`, `Stats.hits is read-only`},
		{`s.first.name = "x"`, `Port.name is read-only`},
		{`s.more = 1`, `Stats has no method or field "more"; there is counters, first, hits, ncpus, on, ports, rwp_delay`},
		{`local f = s.first + 1`, `cannot perform add operation between userdata and number`},
	} {
		_, err := runRecord(t, c.source)
		if err == nil || err.Error() != "test.lua:1: "+c.want {
			t.Errorf("%s\n got %v\nwant test.lua:1: %s", c.source, err, c.want)
		}
	}
}

// unshown is a record with a field that Lua cannot show faithfully.
func unshown[T any]() func() {
	return func() { api.NewRecord[struct{ X T }]("R", "", "", map[string]string{"x": "X."}) }
}

func TestRecordRefuses(t *testing.T) {
	for name, register := range map[string]func(){
		"not a struct": func() { api.NewRecord[int]("R", "", "", nil) },
		"map":          unshown[map[string]int](),
		"channel":      unshown[chan int](),
		"function":     unshown[func()](),
		"pointer":      unshown[*int](),
		"interface":    unshown[any](),
		"fraction":     unshown[float64](),
		"word":         unshown[uint](),
		"nested map":   unshown[[]map[int]int](),
		"two of a name": func() {
			api.NewRecord[struct {
				Ab, AB int `lua:"ab"`
			}]("R", "", "", map[string]string{"ab": "Two."})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the type was accepted")
				}
			}()
			register()
		})
	}
}

func TestInspect(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`return 1, "a\n", nil, true, print`, "1\t\"a\\n\"\tnil\ttrue\tfunction"},
		{`return {3, 2, x = 1, ["a b"] = {}, [10] = "t", [true] = 0}`,
			`{3, 2, [10] = "t", ["a b"] = {}, x = 1, [true] = 0}`},
		{`local t = {} t.self = t return t`, `{self = {...the same table...}}`},
		{`return {{{{{}}}}}`, `{{{{{...}}}}}`},
		{`local t = {} for i = 1, 103 do t[i] = 0 end return #t`, `103`},
	} {
		h, err := host.New(host.Options{})
		if err != nil {
			t.Fatal(err)
		}
		values, err := h.Eval(context.Background(), "test.lua", c.source)
		if err != nil {
			t.Fatal(err)
		}
		if got := api.Inspect(values...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
		h.Close()
	}
}

type meter struct {
	Reads, Writes uint64
}

var meterClass = api.NewRecord[meter]("Meter", "Two counters.", "meter", map[string]string{
	"reads": "Reads so far.", "writes": "Writes so far.",
}).WithDifference()

func TestRecordDifference(t *testing.T) {
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.State().SetGlobal("before", meterClass.New(h.State(), meter{1, 1 << 60}))
	h.State().SetGlobal("after", meterClass.New(h.State(), meter{4, 1<<60 + 5}))
	const code = "(after - before).writes, after:since(before).reads, after - before"
	values, err := h.Eval(context.Background(), "input", code)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := api.Inspect(values...), "0x5\t0x3\t{reads = 0x3, writes = 0x5}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for code, want := range map[string]string{
		"before - after":  "difference of two Meter: reads went down from 4 to 1",
		"after - 1":       `Meter __sub: argument 2 "earlier": expected Meter, got 1`,
		"after.since()":   "Meter:since: called with a dot",
		"after:since({})": `Meter:since: argument 1 "earlier": expected Meter, got table`,
		"after.reeds":     `Meter has no method or field "reeds"; did you mean "reads"?`,
		"after.sinc":      `Meter has no method or field "sinc"; did you mean "since"?`,
	} {
		_, err := h.Eval(context.Background(), "input", "return "+code)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", code, err, want)
		}
	}
}

func TestRecordDescriptions(t *testing.T) {
	type inner struct{ LowPs int64 }
	type outer struct {
		Name   string
		Parts  []inner
		Counts [2]uint64
	}
	texts := func(without string) map[string]string {
		m := map[string]string{"name": "Name.", "parts": "Parts.", "parts.low_ps": "Time in ps.", "counts": "Counts."}
		delete(m, without)
		return m
	}
	c := api.NewRecord[outer]("Outer", "A record.", "outer()", texts(""))
	for i, want := range []struct{ typ, example string }{
		{"string", "outer().name"}, {"list of Inner", "outer().parts"},
		{"list of u64 or integer in 0..2^53-1", "outer().counts"},
	} {
		if got := c.Fields[i]; got.Type.String() != want.typ || got.Example != want.example {
			t.Errorf("field %s: %s, %s; want %+v", got.Name, got.Type, got.Example, want)
		}
	}
	for what, build := range map[string]func(){
		"no text":       func() { api.NewRecord[outer]("Outer", "", "", texts("parts.low_ps")) },
		"text too many": func() { api.NewRecord[meter]("Meter", "", "", texts("")) },
		"not counters":  func() { api.NewRecord[outer]("Outer", "", "", texts("")).WithDifference() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			build()
		}()
	}
}
