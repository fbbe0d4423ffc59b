package bindings

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// bench is a host with a class Machine whose objects count what is done.
type bench struct {
	*host.Host
	session *Session
	all     machines
}

func newBench(t *testing.T, s *Session, params map[string]string) *bench {
	t.Helper()
	figures, err := ReadFigures(os.DirFS("../scripts/data"))
	if err != nil {
		t.Fatal(err)
	}
	s.Figures = figures
	s.Report = &result.Report{Script: "test.lua"}
	h, err := NewHost(s, host.Options{Seed: 1, Params: params, Preload: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	b := &bench{Host: h, session: s}
	L := h.State()
	L.G.Global.RawSetString("machine", L.NewFunction(func(L *lua.LState) int {
		m := &fakeMachine{all: &b.all, seed: s.RunSeed(), value: uint64(L.OptInt(1, 0))}
		b.all.seeds = append(b.all.seeds, m.seed)
		b.all.runs = append(b.all.runs, s.Run())
		L.Push(fakeMachineClass.New(L, m))
		return 1
	}))
	return b
}

func (b *bench) do(code string) error { return b.Run(context.Background(), "test.lua", code) }

type machines struct {
	seeds  []uint64
	runs   []Run
	closed int
}

type fakeMachine struct {
	all         *machines
	seed, value uint64
}

func (m *fakeMachine) Close() error {
	m.all.closed++
	return nil
}

var fakeMachineClass = &api.Class{Name: "Machine", Funcs: []api.Func{
	{Name: "measure", Fn: func(L *lua.LState) int {
		m := api.Object[*fakeMachine](L, 1)
		api.PushInt(L, int64(1000*m.value+m.seed%8))
		return 1
	}},
	{Name: "big", Fn: func(L *lua.LState) int {
		api.PushU64(L, 1<<60)
		return 1
	}},
}}

func TestParams(t *testing.T) {
	s := new(Session)
	b := newBench(t, s, map[string]string{
		"iters": "0x20", "scale": "3", "verbose": "true", "barriers": "dsb_st,none", "machine": "virt",
	})
	err := b.do(`
		p = bench.params {
			machine = "kunpeng920", iters = { 1000, doc = "calls", min = 1 }, runs = 10,
			scale = { 1, type = "number" }, verbose = false, ratio = 0.5,
			barriers = { {"dsb_st", "dsb_ishst"}, choices = {"none", "dsb_st", "dsb_ishst"} }, plain = {"a"},
		}
		text = table.concat({p.machine, p.iters, p.runs, p.scale, tostring(p.verbose), p.ratio,
			table.concat(p.barriers, "+"), p.plain[1]}, " ")`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.State().G.Global.RawGetString("text").String(), "virt 32 10 3 true 0.5 dsb_st+none a"; got != want {
		t.Errorf("values are %q, want %q", got, want)
	}
	want := result.Params{
		{Name: "machine", Value: "virt"}, {Name: "iters", Value: int64(32)}, {Name: "runs", Value: int64(10)},
		{Name: "scale", Value: 3.0}, {Name: "verbose", Value: true}, {Name: "ratio", Value: 0.5},
		{Name: "barriers", Value: []string{"dsb_st", "none"}}, {Name: "plain", Value: []string{"a"}},
	}
	if diff := cmp.Diff(want, s.Report.Params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if err := b.do(`return p.itres`); err == nil || !strings.Contains(err.Error(), `did you mean "iters"?`) {
		t.Errorf("a parameter that does not exist: %v", err)
	}
}

func TestParamUsageErrors(t *testing.T) {
	const script = `bench.params { iters = { 10, min = 1, max = 99 }, runs = 1, ratio = 0.5, on = true, name = "x",
		barrier = { "a", choices = {"dsb_st", "a"} }, list = { {"a"}, choices = {"a", "dsb_st"} } }`
	for given, want := range map[string]string{
		"itres=1":       `unknown parameter "itres"; did you mean "iters"?`,
		"zzz=1":         `unknown parameter "zzz"; the script has iters, runs,`,
		"iters=x":       `parameter iters: expected an integer, got "x"`,
		"iters=1.5":     `parameter iters: expected an integer, got "1.5"`,
		"iters=010":     `parameter iters: expected an integer, got "010"`,
		"iters=0":       `parameter iters: expected integer in 1..99, got 0`,
		"iters=100":     `parameter iters: expected integer in 1..99, got 100`,
		"runs=1e30":     `parameter runs: expected an integer`,
		"ratio=NaN":     `parameter ratio: expected a number, got "NaN"`,
		"ratio=inf":     `parameter ratio: expected a number, got "inf"`,
		"on=1":          `parameter on: expected true or false, got "1"`,
		"barrier=dsbst": `parameter barrier: expected one of dsb_st, a, got "dsbst"; did you mean "dsb_st"?`,
		"list=a,dsbst":  `parameter list: expected one of a, dsb_st, got "dsbst"; did you mean "dsb_st"?`,
		"list=":         `parameter list: element 1 of the list is empty`,
	} {
		name, value, _ := strings.Cut(given, "=")
		err := newBench(t, new(Session), map[string]string{name: value}).do(script)
		var usage *host.UsageError
		if !errors.As(err, &usage) || !strings.Contains(usage.Error(), want) {
			t.Errorf("%s: error %v, want usage error %q", given, err, want)
		}
	}
}

func TestParamDeclarationErrors(t *testing.T) {
	for code, want := range map[string]string{
		`bench.params { Iters = 1 }`:                    `Iters: a name has lower-case letters`,
		`bench.params { f = print }`:                    `f: default: expected a string, number, boolean or list`,
		`bench.params { l = { {} } }`:                   `l: default: expected a list of strings, got an empty table`,
		`bench.params { l = { {"a", 1} } }`:             `l: default: expected a list of strings, got an entry of`,
		`bench.params { i = { 1, dock = "x" } }`:        `i: no entry "dock"; did you mean "doc"?`,
		`bench.params { i = { 1, doc = 1 } }`:           `i: doc: expected a string, got number`,
		`bench.params { i = { 1, min = "1" } }`:         `i: min: expected a number, got string`,
		`bench.params { i = { 1, type = "int" } }`:      `i: type: the only type`,
		`bench.params { i = { 0, min = 1 } }`:           `i: default: expected integer >= 1, got 0`,
		`bench.params { i = { doc = "x" } }`:            `i: expected { default, doc = ..., ... }`,
		`bench.params { i = { 1, 2, doc = "x" } }`:      `i: expected { default, doc = ..., ... }`,
		`bench.params { s = { "a", min = 1 } }`:         `s: min and max are for numbers`,
		`bench.params { i = { 1, choices = {"a"} } }`:   `i: choices are for strings and lists`,
		`bench.params { s = { "b", choices = {"a"} } }`: `s: default: expected one of a, got "b"`,
		`bench.params { x = 0/0 }`:                      `x: default: `,
		`bench.params { x = 2^60 }`:                     `x: default: `,
		`bench.params { 1 }`:                            `expected named options`,
		`bench.params { x = 1 } bench.params { y = 1 }`: `was called before`,
		`local p = bench.params { x = 1, "b" }`:         `expected named options`,
	} {
		b := newBench(t, new(Session), nil)
		if err := b.do(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", code, err, want)
		}
	}
}

func TestDescribeOnly(t *testing.T) {
	s := &Session{DescribeOnly: true}
	b := newBench(t, s, nil)
	if err := b.do(`bench.params { iters = 1, runs = {2, doc = "runs"} } machine()`); !errors.Is(err, ErrDescribed) {
		t.Errorf("the script ended with %v", err)
	}
	declared, ok := s.Declared()
	if !ok || len(declared) != 2 || declared[1].Doc != "runs" || len(b.all.seeds) != 0 {
		t.Errorf("declared %+v, %d machines", declared, len(b.all.seeds))
	}
}

const twoCases = `
	out = bench.compare {
		name = "latency", unit = "ns", runs = 4, body = function(m) return m:measure() end,
		published = { before = bench.published("002", "before", "demote 600 x 1 GiB pages, system time") },
		{ "before", function() return machine(2) end },
		{ "after", function() return machine(1) end },
	}`

func TestCompare(t *testing.T) {
	var told []string
	s := &Session{Progress: func(text string) { told = append(told, text) }}
	b := newBench(t, s, nil)
	if err := b.do(strings.Replace(twoCases, `"ns"`, `"s"`, 1)); err != nil {
		t.Fatal(err)
	}
	if b.all.closed != 8 || len(b.all.seeds) != 8 {
		t.Fatalf("%d machines made, %d closed, want 8", len(b.all.seeds), b.all.closed)
	}
	for i := range 4 {
		if b.all.seeds[i] != b.all.seeds[i+4] {
			t.Errorf("run %d has another seed in each case", i+1)
		}
		for j := range i {
			if b.all.seeds[i] == b.all.seeds[j] {
				t.Errorf("runs %d and %d have the same seed", i+1, j+1)
			}
		}
	}
	if want := (Run{Name: "latency", Case: "after", Index: 2}); b.all.runs[5] != want {
		t.Errorf("run is %+v, want %+v", b.all.runs[5], want)
	}
	if s.Run() != (Run{}) || s.RunSeed() != b.all.seeds[0] {
		t.Error("outside a comparison, machines do not have the seed of the first run")
	}
	if told[0] != "latency: before, run 1 of 4" || told[len(told)-1] != "" {
		t.Errorf("progress: %q", told)
	}
	if len(s.Report.Results) != 2 || len(s.Report.Comparisons) != 1 || len(s.Report.Published) != 1 {
		t.Errorf("report: %+v", s.Report)
	}
	err := b.do(`
		local after = out.case.after
		assert(out.name == "latency" and out.unit == "s" and out.runs == 4 and #out.cases == 2)
		assert(out.cases[2] == after and after.label == "after" and #after.values == 4)
		assert(after.mean < out.case.before.mean and after.delta_percent < 0 and after.p == 0.0285714)
		assert(after.low <= after.median and after.median <= after.high)
		assert(out.case.before.published_mean == 10.513 and out.case.before.deviation_percent == nil)
		assert(out.case.before.role == "unjudged" and after.role == nil)
		assert(after.published_mean == nil and out.case.before.p == nil)`)
	if err != nil {
		t.Error(err)
	}
}

func TestCompareExactValues(t *testing.T) {
	s := &Session{}
	b := newBench(t, s, nil)
	if err := b.do(`out = bench.compare { name = "x", unit = "ps", body = function(m) return m:big() end,
		{ "one", machine } } assert(tostring(out.cases[1].values[1]) == "0x1000_0000_0000_0000")`); err != nil {
		t.Fatal(err)
	}
	if got := s.Report.Results[0].Values[0]; got != 1<<60 {
		t.Errorf("value %d, want 2^60", got)
	}
}

func TestCompareErrors(t *testing.T) {
	compare := func(rest string) string {
		return `bench.compare { name = "x", unit = "ns", ` + rest + ` }`
	}
	body := `body = function(m) return 1 end, `
	one := `{ "a", machine }`
	nested := compare(`body = function() ` + strings.Replace(compare(body+one), `"x"`, `"y"`, 1) + ` end, ` + one)
	for _, tc := range []struct{ code, want string }{
		{compare(one), `body`},
		{compare(body + `{ "a" }`), `[1][2]: expected function`},
		{compare(body), `has no cases`},
		{compare(body + one + `, ` + one), `two cases labelled "a"`},
		{compare(body + `rums = 2, ` + one), `no option "rums"; did you mean "runs"?`},
		{compare(body + `runs = 0, ` + one), `runs: expected integer in 1..1000000, got 0`},
		{compare(`body = function() end, ` + one), `expected an integer from 0 on`},
		{compare(`body = function() return 1.5 end, ` + one), `got 1.5`},
		{compare(`body = function() return -1 end, ` + one), `got -1`},
		{compare(`body = function() return "1" end, ` + one), `got "1"`},
		{compare(`body = function() return 2^53 end, ` + one), `below 2^53, or a u64`},
		{compare(body+one) + compare(body+one), `was made before`},
		{compare(body + `published = {b = 1}, ` + one), `published.b: expected table`},
		{compare(body + `published = {b = {values={1}, source="s"}}, ` + one), `published: no case "b"; there is "a"`},
		{compare(body + `published = {a = {values={}, source="s"}}, ` + one), `has no values`},
		{compare(body + `published = {a = bench.published("003", "case1")}, ` + one), `is in IOPS, what is simulated in ns`},
		{nested, `inside a run of "x"`},
		{`bench.published("005", "x")`, `no published figures of document "005"`},
		{`bench.published("000", "wbm")`, `no case "wbm"; did you mean "wmb"?`},
		{`bench.published("002", "before")`, `several quantities; give one of: "demote`},
		{`bench.published("003", "case1", "fio")`, `publishes no quantity "fio"; `},
	} {
		b := newBench(t, new(Session), nil)
		if err := b.do(tc.code); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s:\nerror %v\nwant %q", tc.code, err, tc.want)
		}
		if b.all.closed != len(b.all.seeds) {
			t.Errorf("%s: %d machines made, %d closed", tc.code, len(b.all.seeds), b.all.closed)
		}
	}
}

func TestInteractiveRepeats(t *testing.T) {
	s := &Session{Interactive: true}
	b := newBench(t, s, nil)
	for range 2 {
		if err := b.do(`bench.params { runs = 1 } ` + strings.Replace(twoCases, `"ns"`, `"s"`, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Report.Results) != 2 {
		t.Errorf("%d results are kept, want those of the last comparison", len(s.Report.Results))
	}
}

func TestTableAndNote(t *testing.T) {
	s := &Session{}
	b := newBench(t, s, nil)
	if err := b.do(`
		bench.table { title = "T", columns = {"a", "b", "c", "d", "e"},
			rows = { { "x", 1, 1/3, true, bench.published("000", "wmb").values[1] } } }
		bench.note("n")
		assert(bench.format_ps(1320123) == "1.320123 us" and bench.format_ps(-2500) == "-2.5 ns")`); err != nil {
		t.Fatal(err)
	}
	want := []result.Table{{
		Title: "T", Columns: []string{"a", "b", "c", "d", "e"},
		Rows: [][]any{{"x", int64(1), 0.333333, "true", int64(126757449)}},
	}}
	if diff := cmp.Diff(want, s.Report.Tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if blocks := s.Report.Blocks(); len(blocks) != 2 || blocks[1] != result.Note("n") {
		t.Errorf("blocks: %v", blocks)
	}
	for code, want := range map[string]string{
		`bench.table { columns = {"a"}, rows = { {1, 2} } }`: `has 2 cells, and there are 1 columns`,
		`bench.table { columns = {"a"}, rows = { {1/0} } }`:  `is not a number`,
		`bench.table { rows = {} }`:                          `columns: expected list of string, got nil`,
		`bench.format_ps("1")`:                               `expected u64 or integer`,
	} {
		if err := b.do(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", code, err, want)
		}
	}
}

func TestFigures(t *testing.T) {
	figures, err := ReadFigures(os.DirFS("../scripts/data"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := findFigure(figures, "001", "WaWb", "lpitest 100 total cycles")
	if err != nil || f.Values[0] != 0x8dfc0 || !strings.Contains(f.Source, "Shanker Donthineni") {
		t.Errorf("figure %+v, %v", f, err)
	}
}

// TestRolesOfMachines: the role of a published row follows from the constants of the machines that simulated it.
func TestRolesOfMachines(t *testing.T) {
	s := &Session{}
	b := newBench(t, s, nil)
	if err := b.do(`
		local function make() return hw.machine("kunpeng920", { cpus = 2 }) end
		out = bench.compare {
			name = "ipi", unit = "ns", body = function(m) return m:run(0, function(cpu) return cpu:ktime() end) end,
			published = { a = bench.published("000", "wmb"), b = bench.published("000", "dsb_ishst") },
			{ "a", make }, { "b", make },
		}
		assert(out.case.a.role == "fitted" and out.case.b.role == "unjudged")`); err != nil {
		t.Fatal(err)
	}
	fitted, other := s.Report.Published[0], s.Report.Published[1]
	if fitted.Constant != "sgi_transport" || fitted.DeviationPercent != nil {
		t.Errorf("fitted row: %+v", fitted)
	}
	if other.DeviationPercent != nil || !slices.Contains(other.Assumed, "leg_socket") ||
		slices.Contains(other.Assumed, "outer_ack") ||
		!slices.Contains(other.Assumed, "linux.costs.llist_add") || slices.Contains(other.Assumed, "l1_hit") {
		t.Errorf("other row: %+v", other)
	}
}

// TestGroundsOfConstants: only what is sourced, or fitted on another row, leaves a row to be predicted.
func TestGroundsOfConstants(t *testing.T) {
	row, elsewhere := machine.PublishedRow{Document: "1", Case: "a"}, machine.PublishedRow{Document: "1", Case: "b"}
	for _, tc := range []struct {
		cs   constants
		want result.Role
	}{
		{nil, result.RoleInterval},
		{constants{{name: "x", origin: machine.Sourced}}, result.RolePredicted},
		{constants{{name: "x", origin: machine.Fitted, row: elsewhere}}, result.RolePredicted},
		{constants{{name: "x", origin: machine.Fitted, row: row}}, result.RoleFitted},
		{constants{{name: "x", origin: machine.Assumed}}, result.RoleInterval},
		{constants{{name: "x", origin: machine.Given}}, result.RoleInterval},
		{constants{{name: "x", origin: machine.Assumed}, {name: "y", origin: machine.Fitted, row: row}}, result.RoleFitted},
	} {
		if got, _ := tc.cs.grounds(row).Role(); got != tc.want {
			t.Errorf("%+v: %s, want %s", tc.cs, got, tc.want)
		}
	}
}
