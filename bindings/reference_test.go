package bindings

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// TestGeneratedFilesAreFresh holds the generated files against the descriptors.
func TestGeneratedFilesAreFresh(t *testing.T) {
	r := NewReference()
	for name, want := range map[string]string{"REFERENCE.md": Markdown(r), "../scripts/hwscript.d.lua": LuaLS(r)} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is stale: run go generate ./bindings", name)
		}
	}
}

// TestLuaLSParses reads the definitions as Lua, which they are to editors. Running them must fail.
func TestLuaLSParses(t *testing.T) {
	text := LuaLS(NewReference())
	if _, err := parse.Parse(strings.NewReader(text), "hwscript.d.lua"); err != nil {
		t.Fatal(err)
	}
	h := newInspected(t)
	if err := h.Run(context.Background(), "hwscript.d.lua", text); err == nil {
		t.Error("the definitions can be run")
	}
}

// described is one thing that the reference must explain.
type described struct {
	name, doc, example string
	needsExample       bool
	types              []api.Param // with their texts
}

// everything lists what the descriptors describe.
func everything() []described {
	r := NewReference()
	var all []described
	funcs := func(owner string, list []api.Func) {
		for i := range list {
			f := &list[i]
			all = append(all, described{owner + f.Name, f.Doc, f.Example, true, slices.Concat(f.Params, f.Returns)})
		}
	}
	fields := func(owner string, list []api.Field) {
		for i := range list {
			f := &list[i]
			all = append(all, described{owner + f.Name, f.Doc, f.Example, true, []api.Param{{Type: f.Type, Doc: f.Doc}}})
		}
	}
	for _, f := range r.Globals {
		funcs("", []api.Func{*f})
	}
	for _, m := range r.Modules {
		all = append(all, described{name: m.Name, doc: m.Doc, example: m.Example, needsExample: true})
		funcs(m.Name+".", m.Funcs)
		fields(m.Name+".", m.Fields)
		if m.Call != nil {
			funcs("call ", []api.Func{*m.Call})
		}
	}
	for _, c := range r.Classes {
		all = append(all, described{name: c.Name, doc: c.Doc})
		funcs(c.Name+":", c.Funcs)
		funcs(c.Name+" ", c.Ops)
		fields(c.Name+".", c.Fields)
		if x := c.Index; x != nil {
			all = append(all, described{name: c.Name + "[]", doc: x.Doc, example: x.Example, needsExample: true})
		}
	}
	for _, s := range r.Tables {
		all = append(all, described{name: "table " + s.Name, doc: s.Doc, types: s.Options})
	}
	return all
}

// units are what the text of a number that is no mere count must name.
var units = regexp.MustCompile(`\b(ps|ns|us|ms|s|Hz|MHz|MiB|bytes?|bits?|cycles|percent|unit)\b`)

// TestEverythingIsDocumented wants a text for every entry, argument, result and option, a unit for every number that
// may be a fraction, and an example for whatever can be called or read.
func TestEverythingIsDocumented(t *testing.T) {
	for _, d := range everything() {
		if d.doc == "" {
			t.Errorf("%s has no text", d.name)
		}
		if d.needsExample && d.example == "" {
			t.Errorf("%s has no example", d.name)
		}
		for _, p := range d.types {
			switch {
			case p.Doc == "":
				t.Errorf("%s: %s has no text", d.name, p.Name)
			case strings.Contains(p.Type.String(), "number") && !units.MatchString(p.Doc) && !unitless[d.name+" "+p.Name]:
				t.Errorf("%s: %s is a number without a unit: %q", d.name, p.Name, p.Doc)
			case p.Optional && p.Default == "":
				t.Errorf("%s: %s is optional and says not what its absence means", d.name, p.Name)
			}
		}
	}
}

// TestObjectsHaveSummaries wants of every class what tostring and the REPL show.
func TestObjectsHaveSummaries(t *testing.T) {
	for _, c := range NewReference().Classes {
		if c.String == nil {
			t.Errorf("class %s has no String", c.Name)
		}
	}
}

// unitless are the numbers that stand for nothing measured.
var unitless = map[string]bool{"table bench.table rows": true}

// TestExamplesHaveTheirOutcomes runs every example by itself, with the modules as globals, and compares what it returns
// and prints with outcomes.txt, which the reference shows. None takes many instructions. A counter in Stats is whatever
// the boot has made of it. HWSCRIPT_UPDATE=1 rewrites the file: only commit what each example ought to show.
func TestExamplesHaveTheirOutcomes(t *testing.T) {
	var got strings.Builder
	seen := map[string]bool{"": true}
	for _, d := range everything() {
		if seen[d.example] {
			continue
		}
		seen[d.example] = true
		outcome, values := runExampleOf(t, d)
		if strings.HasPrefix(d.name, "Stats.") {
			if _, ok := values[0].(api.U64Value); !ok {
				t.Errorf("%s: %s is no counter", d.name, outcome)
			}
			continue
		}
		fmt.Fprintf(&got, "> %s\n%s\n", strings.ReplaceAll(d.example, "\n", "\n> "), outcome)
	}
	text := strings.TrimSuffix(got.String(), "\n")
	if os.Getenv("HWSCRIPT_UPDATE") != "" {
		if err := os.WriteFile(outcomesFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(outcomesText, text); diff != "" {
		t.Errorf("outcomes of examples (-documented +got); HWSCRIPT_UPDATE=1 and go generate write them:\n%s", diff)
	}
}

// runExampleOf returns what an example prints and returns: the beginning, if that is long, and the values.
func runExampleOf(t *testing.T, d described) (string, []lua.LValue) {
	t.Helper()
	var out bytes.Buffer
	h := newTestHost(t, host.Options{Stdout: &out, Stderr: &out, Limits: host.Limits{Instructions: 20_000}})
	values, err := h.Eval(context.Background(), "example", d.example)
	if err != nil {
		t.Errorf("%s: %v\n%s", d.name, err, d.example)
	}
	if len(values) > 0 {
		out.WriteString(api.Inspect(values...) + "\n")
	}
	const lines, characters = 10, 600
	var shown strings.Builder
	n := 0
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, " \n")
		if n++; n > lines || line == "" {
			shown.WriteString("...\n")
			break
		}
		if len(line) > characters {
			line = line[:characters] + "..."
		}
		shown.WriteString(line + "\n")
	}
	return shown.String(), values
}

// newInspected makes a host as the REPL has it.
func newInspected(t testing.TB) *host.Host {
	t.Helper()
	return newLimited(t, host.Limits{})
}

func newLimited(t testing.TB, limits host.Limits) *host.Host {
	t.Helper()
	return newTestHost(t, host.Options{Limits: limits})
}

// newTestHost makes a host with the modules as globals.
func newTestHost(t testing.TB, options host.Options) *host.Host {
	t.Helper()
	figures, err := ReadFigures(os.DirFS("../scripts/data"))
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Report: &result.Report{Script: "test.lua"}, Figures: figures, Interactive: true}
	options.Seed, options.Preload = 1, true
	h, err := NewHost(s, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// lua51 are the names of the Lua 5.1 manual, chapter 5, that have no descriptor: every Lua programmer knows them.
var lua51 = strings.Fields(`_G _VERSION assert collectgarbage error getfenv getmetatable ipairs load loadstring module
	next pairs pcall print rawequal rawget rawset require select setfenv setmetatable tonumber tostring type unpack
	xpcall arg coroutine math string table newproxy`)

// TestNothingLacksADescriptor walks over all that a script can reach: the globals, what they contain, the results of
// the examples, and the metatables, which scripts reach by way of operators.
func TestNothingLacksADescriptor(t *testing.T) {
	h := newInspected(t)
	w := walker{
		t: t, L: h.State(), ref: NewReference(), seen: map[lua.LValue]bool{}, classes: map[string]bool{},
	}
	h.State().G.Global.ForEach(func(k, v lua.LValue) {
		if !slices.Contains(lua51, k.String()) {
			w.walk(k.String(), v)
		}
	})
	for _, d := range everything() {
		values, err := h.Eval(context.Background(), "example", d.example)
		if err != nil {
			continue // TestExamplesHaveTheirOutcomes says so
		}
		for _, v := range values {
			w.walk("result of "+d.example, v)
		}
	}
	for _, c := range w.ref.Classes {
		if !w.classes[c.Name] && c != maskClass { // one lives as long as a call from the kernel
			t.Errorf("no example yields a %s: what it can do is not seen", c.Name)
		}
	}
	if w.functions < 100 {
		t.Errorf("found %d functions only", w.functions)
	}
}

type walker struct {
	t       *testing.T
	L       *lua.LState
	ref     *api.Reference
	seen    map[lua.LValue]bool
	classes map[string]bool

	functions int
}

func (w *walker) walk(path string, v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		w.table(path, v)
	case *lua.LUserData, api.U64Value:
		c := api.ClassOf(v)
		if c == nil {
			w.t.Errorf("%s: an object without a class: %s", path, api.ToString(v))
			return
		}
		if e, ok := w.ref.Find(c.Name); !ok || e.Summary() == "" {
			w.t.Errorf("%s: the reference does not know %s", path, c.Name)
		}
		if w.classes[c.Name] {
			return
		}
		w.classes[c.Name] = true
		for i := range c.Funcs { // those of a class with fields are behind a Go function
			w.walk(c.Name+":"+c.Funcs[i].Name, w.L.GetField(v, c.Funcs[i].Name))
		}
		for i := range c.Ops {
			w.walk(c.Name+" "+c.Ops[i].Name, w.L.GetMetaField(v, c.Ops[i].Name))
		}
		if ud, ok := v.(*lua.LUserData); ok {
			w.metatable(path, ud.Metatable)
		}
	case *lua.LFunction:
		w.functions++
		if f, _ := api.FuncOf(w.L, v); f == nil && v.IsG {
			w.t.Errorf("%s: a function without a descriptor", path)
		}
	}
}

func (w *walker) table(path string, table *lua.LTable) {
	if w.seen[table] {
		return
	}
	w.seen[table] = true
	table.ForEach(func(k, v lua.LValue) {
		w.seen[v] = true
		w.walk(path+"."+api.ToString(k), v)
	})
	w.metatable(path, table.Metatable)
}

// metatable walks over what objects and modules have in place of contents.
func (w *walker) metatable(path string, mt lua.LValue) {
	table, ok := mt.(*lua.LTable)
	if !ok || w.seen[table] {
		return
	}
	w.seen[table] = true
	table.ForEach(func(k, v lua.LValue) {
		switch k.String() {
		case "__newindex", "__tostring", "__metatable", "__call":
			return // of package api, the same for all
		case "__index":
			if _, ok := v.(*lua.LFunction); ok {
				return
			}
			members := v.(*lua.LTable)
			members.ForEach(func(k, v lua.LValue) { w.walk(path+"."+api.ToString(k), v) })
			w.metatable(path, members.Metatable) // behind constants stand the methods
			return
		}
		w.walk(fmt.Sprintf("%s, %s", path, k), v)
	})
}
