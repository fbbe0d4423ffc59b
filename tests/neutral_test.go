package tests

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// armWord are what only the Arm architecture calls something: in identifiers as words of their own, and in text.
var armWord = regexp.MustCompile(`(?:^|[^A-Za-z])((?i:arm|gicv?3?|gic[drc]|lpi|sgi1?r?|ppi|spi|mrs|msr|dmb|dsb|isb|` +
	`wfe|sev|tlbi|daif|mpidr|intid|psci|ldar|ldapr|stlr|ldxr|stxr|pmu|el[0-3]))(?:$|[^A-Za-z])`)

// camel puts a space between the words of an identifier.
var camel = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])`)

// neutral are the packages that a second architecture shares with Arm. A file whose name begins with one of own is a
// board's, and belongs to its architecture.
var neutral = map[string][]string{
	"hardware/bus": nil, "hardware/cpu": nil, "hardware/mem": nil,
	"hardware/machine": {"arm", "its", "smmu"},
}

// leftArm are the words that are left, by file. The latencies of a machine have the names that scripts know, and one
// list for all boards.
var leftArm = map[string]string{
	"hardware/bus/tableattr.go":   "gic", // the attributes of a GIC's tables, for the devices of that family
	"hardware/cpu/spec.go":        "tlbi",
	"hardware/cpu/fence.go":       "tlbi",
	"hardware/cpu/outer.go":       "dsb",
	"hardware/machine/latency.go": "dmb dsb isb mrs msr sgi sgi1 sgi1r tlbi",
	"hardware/machine/spec.go":    "dmb dsb isb sgi1 tlbi",
	"hardware/machine/presets.go": "arm", // the list of all presets
}

// A second architecture finds no name of the first one in what they share: neither in identifiers nor in what is
// printed. Comments may name both.
func TestNoArmNamesInSharedPackages(t *testing.T) {
	seen := map[string]bool{}
	for dir, own := range neutral {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			base := filepath.Base(file)
			if strings.HasSuffix(base, "_test.go") || belongs(base, own) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := dir + "/" + base
			s, err := parseSource(token.NewFileSet(), name, text)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range armNames(s) {
				if left, ok := leftArm[name]; ok && slices.Contains(strings.Fields(left), found.word) {
					seen[name] = true
					continue
				}
				t.Errorf("%s:%d: %q is a name of the Arm architecture: give it to the board or to the architecture's words", name,
					found.line, found.text)
			}
		}
	}
	for name, words := range leftArm {
		if !seen[name] {
			t.Errorf("%s has none of %q any more: take it off the list", name, words)
		}
	}
}

func belongs(base string, own []string) bool {
	for _, prefix := range own {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return false
}

// armName is an Arm word in an identifier or a string.
type armName struct {
	word, text string
	line       int
}

// armNames finds the Arm words of a file, imports apart.
func armNames(s *source) (found []armName) {
	look := func(node ast.Node, text, words string) {
		for _, m := range armWord.FindAllStringSubmatch(words, -1) {
			found = append(found, armName{strings.ToLower(m[1]), text, s.line(node.Pos())})
		}
	}
	ast.Inspect(s.file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Ident:
			look(n, n.Name, camel.ReplaceAllString(n.Name, "$1$3 $2$4"))
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				look(n, n.Value, strings.ReplaceAll(n.Value, "_", " "))
			}
		}
		return true
	})
	return found
}

// The search finds what it is to find.
func TestArmNamesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"var SGIIssue, tableSize int": 1, `var x = "a DSB, an ISB"`: 2, "var itself, armed, dispatch int": 0,
		"var readMPIDR int": 1, `var y = "sgi_transport"`: 1, "var position, islandSize int": 0,
	} {
		s, err := parseSource(token.NewFileSet(), "x.go", []byte("package x\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := armNames(s); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
