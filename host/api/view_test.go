package api_test

import (
	"bytes"
	"context"
	"errors"
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
	Ratio     float64
	On        bool
	Ports     []port
	First     port
	Counters  [2]uint64
	NCPUs     int `lua:"ncpus"`
	Secret    int `lua:"-"`
	unexposed int
}

func (s stats) Total() uint64   { return s.Hits + uint64(s.unexposed) }
func (s stats) Validate() error { return errors.New("invalid") }

var statsView = api.NewView[stats]("Validate")

func runView(t *testing.T, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h, err := host.New(host.Options{Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.State().SetGlobal("s", statsView.New(h.State(), stats{
		Hits: 0xffff800000000001, RWPDelay: 1500, Ratio: 0.5, On: true, Ports: []port{{"a", 0}, {"b", 1}},
		First: port{"f", 1}, Counters: [2]uint64{1, 1 << 60}, NCPUs: 96, unexposed: 1,
	}))
	err = h.Run(context.Background(), "test.lua", source)
	return out.String(), err
}

func TestView(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`s.hits`, "0xffff_8000_0000_0001"},
		{`s.hits:bits(63, 48)`, "0xffff"},
		{`s.rwp_delay + 1, s.ratio, s.on, s.ncpus`, "1501\t0.5\ttrue\t96"},
		{`#s.ports, s.ports[2].name, s.ports[2].state`, "2\tb\tbusy"},
		{`s.first, s.ports`, `{name = "f", state = "busy"}` + "\t" +
			`{{name = "a", state = "idle"}, {name = "b", state = "busy"}}`},
		{`#s.counters, s.counters[2]`, "2\t0x1000_0000_0000_0000"},
		{`s:total()`, "0xffff_8000_0000_0002"},
		{`s.first`, `{name = "f", state = "busy"}`},
	} {
		got, err := runView(t, "print("+c.expr+")")
		if err != nil || got != c.want+"\n" {
			t.Errorf("%s: got %q %v, want %q", c.expr, got, err, c.want)
		}
	}
	for _, c := range []struct{ source, want string }{
		{`print(s.hitz)`, `stats has no field "hitz"; did you mean "hits"?`},
		{`print(s.Hits)`, `stats has no field "Hits"; did you mean "hits"?`},
		{`print(s.secret)`, `stats has no field "secret"`},
		{`s:validate()`, `stats has no field "validate"`},
		{`print(s.first.nme)`, `port has no field "nme"; did you mean "name"?`},
		{`print(s.ports[3])`, `[]api_test.port: expected index in 1..2, got 3`},
		{`print(s.ports.len)`, `[]api_test.port: expected index in 1..2, got "len"`},
		{`s.hits = 1`, `stats is read-only`},
		{`s.first.name = "x"`, `port is read-only`},
		{`s.counters[1] = 1`, `[2]uint64 is read-only`},
		{`local f = s.ports + 1`, `cannot perform add operation between userdata and number`},
	} {
		_, err := runView(t, c.source)
		if err == nil || err.Error() != "test.lua:1: "+c.want {
			t.Errorf("%s\n got %v\nwant test.lua:1: %s", c.source, err, c.want)
		}
	}
}

func TestViewRefuses(t *testing.T) {
	for name, register := range map[string]func(){
		"not a struct":            func() { api.NewView[int]() },
		"map":                     func() { api.NewView[struct{ M map[string]int }]() },
		"channel":                 func() { api.NewView[struct{ C chan int }]() },
		"function":                func() { api.NewView[struct{ F func() }]() },
		"pointer":                 func() { api.NewView[struct{ P *int }]() },
		"interface":               func() { api.NewView[struct{ I any }]() },
		"nested map":              func() { api.NewView[struct{ S []struct{ M map[int]int } }]() },
		"error method":            func() { api.NewView[stats]() },
		"nested error":            func() { api.NewView[struct{ S stats }]() },
		"method with an argument": func() { api.NewView[withArgument]() },
		"two of a name": func() {
			api.NewView[struct {
				Ab, AB int `lua:"ab"`
			}]()
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

type withArgument struct{ N int }

func (w withArgument) Add(n int) int { return w.N + n }

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

var meterView = api.NewView[meter]().Describe("Meter", "Two counters.", "meter", map[string]string{
	"reads": "Reads so far.", "writes": "Writes so far.",
}).WithDifference()

func TestViewDifference(t *testing.T) {
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.State().SetGlobal("before", meterView.New(h.State(), meter{1, 1 << 60}))
	h.State().SetGlobal("after", meterView.New(h.State(), meter{4, 1<<60 + 5}))
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
		"after.reeds":     `Meter has no field "reeds"; did you mean "reads"?`,
		"after.sinc":      `Meter has no field "sinc"; did you mean "since"?`,
	} {
		_, err := h.Eval(context.Background(), "input", "return "+code)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", code, err, want)
		}
	}
}

func TestViewDescriptions(t *testing.T) {
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
	c := api.NewView[outer]().Describe("Outer", "A view.", "outer()", texts("")).Class()
	for i, want := range []struct{ typ, example string }{
		{"string", "outer().name"}, {"list of Inner", "outer().parts"},
		{"list of u64 or integer in 0..2^53-1", "outer().counts"},
	} {
		if got := c.Fields[i]; got.Type.String() != want.typ || got.Example != want.example {
			t.Errorf("field %s: %s, %s; want %+v", got.Name, got.Type, got.Example, want)
		}
	}
	for what, build := range map[string]func(){
		"no text":       func() { api.NewView[outer]().Describe("Outer", "", "", texts("parts.low_ps")) },
		"text too many": func() { api.NewView[meter]().Describe("Meter", "", "", texts("")) },
		"not described": func() { api.NewView[meter]().Class() },
		"not counters":  func() { api.NewView[outer]().Describe("Outer", "", "", texts("")).WithDifference() },
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
