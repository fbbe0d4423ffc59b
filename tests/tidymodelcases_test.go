package tests

import "testing"

// modelCases are small files under hardware/, each with what the model's rules find there.
var modelCases = []struct {
	name string
	file string // "" stands for hardware/x/x.go.
	code string
	want []string
}{
	{"clean", "", `import ("fmt"; "io"; "maps"; "slices")
		func f(w io.Writer, m map[int]int, s []int) {
			for _, k := range slices.Sorted(maps.Keys(m)) { fmt.Fprintln(w, k, m[k]) }
			for _, v := range s { _ = v }
			for range 3 {}
		}`, nil},
	{"time", "", `import _ "time"`, []string{"x.go:2: imports time: simulated time is sim.Time"}},
	{"rand", "", `import _ "math/rand"`, []string{"imports math/rand: draw from the run's seed"}},
	{"rand v2", "", `import _ "math/rand/v2"`, []string{"imports math/rand/v2: draw from the run's seed"}},
	{"crypto rand", "", `import _ "crypto/rand"`, []string{"imports crypto/rand: draw from the run's seed"}},
	{"os", "", `import _ "os"`, []string{"imports os: a model touches no files"}},
	{"sync", "", `import _ "sync"`, []string{"imports sync: an engine is used by one goroutine"}},
	{"atomic", "", `import _ "sync/atomic"`, []string{"imports sync/atomic: an engine is used by one goroutine"}},
	{"reflect", "", `import _ "reflect"`, []string{"imports reflect: write it out"}},
	{"go statement", "", "func f() {\n go f()\n}", []string{"x.go:3: go statement: use a sim.Proc"}},
	{"exempt file", "hardware/explore/pool.go", `import _ "sync"; func f() { go f() }`, nil},
	{"exempt file, other rule", "hardware/explore/pool.go", `import _ "time"`, []string{"imports time"}},
	{"float type", "", `var x float64`, []string{"x.go:2: floating point"}},
	{"float field", "", `type x struct { a float32; b int }`, []string{"floating point"}},
	{"float literal", "", `const x = 1.5`, []string{"floating point"}},
	{"integer value of a float literal", "", `const x int = 1e3`, []string{"floating point"}},
	{"complex", "", `var x = 1i`, []string{"floating point"}},
	{"float without its name", "", `import "math"; func f() int { x := math.Sqrt(4); return int(x) }`,
		[]string{"floating point"}},
	{"defined float", "", "type x float64\nvar y x", []string{"x.go:2: floating point", "x.go:3: floating point"}},
	{"map", "", `func f(m map[int]int) { for range m {} }`, []string{"ranges over a map"}},
	{"defined map", "", `type x map[int]int; func f(m x) { for k := range m { _ = k } }`, []string{"ranges over a map"}},
	{"map iterator", "", `import "maps"; func f(m map[int]int) { for range maps.Values(m) {} }`,
		[]string{"ranges over a map"}},
	{"print", "", `import "fmt"; func f() { fmt.Println() }`, []string{"Println writes to standard output"}},
	{"renamed print", "", `import p "fmt"; func f() { p.Printf("") }`, []string{"Printf writes to standard output"}},
	{"builtin print", "", `func f() { println() }`, []string{"println writes to standard output"}},
	{"own Print", "", `func Print() {}; func f() { Print() }`, nil},
}

// TestModelCanFail shows that each rule of the model finds what it bans, and nothing else.
func TestModelCanFail(t *testing.T) {
	l := newLoader()
	for _, c := range modelCases {
		t.Run(c.name, func(t *testing.T) {
			name := c.file
			if name == "" {
				name = "hardware/x/x.go"
			}
			s, err := parseSource(l.fset, name, []byte("package x\n"+c.code))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.check(t.Name(), []*source{s}); err != nil {
				t.Fatal(err)
			}
			wantFindings(t, l.checkModel(t.Name()), c.want...)
		})
	}
}

// TestModelSeesTypeErrors shows that code which cannot be checked is not taken for clean.
func TestModelSeesTypeErrors(t *testing.T) {
	l := newLoader()
	s, err := parseSource(l.fset, "hardware/x/x.go", []byte("package x\nfunc f() { for range missing {} }"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.check("hardware/x", []*source{s}); err == nil {
		t.Error("an undefined name passes")
	}
	if !isModel("hardware/sim/engine.go") || isModel("hardware/arch/gen/main.go") || isModel("host/host.go") {
		t.Error("the model's files are not told from others")
	}
}
