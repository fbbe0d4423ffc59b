package tests

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of hand-written code: a function fits a screen, a line fits a side-by-side diff. They hold for tests too.
const (
	maxFunctionLines = 70
	maxFileLines     = 500
	maxColumns       = 120 // In characters; a tab is one.
)

// source is a parsed Go file together with what the rules need to point into it.
type source struct {
	name string // Relative to the repository.
	text []byte
	fset *token.FileSet
	file *ast.File
}

// parseSource parses a file of the given name; only its position information refers to the name.
func parseSource(fset *token.FileSet, name string, text []byte) (*source, error) {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{name: name, text: text, fset: fset, file: file}, nil
}

// at renders a finding as compilers do, so that editors jump to it.
func (s *source) at(node ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", s.name, s.line(node.Pos()), fmt.Sprintf(format, args...))
}

func (s *source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

// isGenerated reports whether a file is written by a program, or is test data: the limits are for what people read.
func isGenerated(name string) bool {
	return strings.HasSuffix(name, "_gen.go") || strings.HasSuffix(name, ".d.lua") ||
		strings.Contains("/"+name, "/testdata/")
}

// checkFunctions finds functions, and function literals outside functions, that are too long.
func checkFunctions(s *source) []string {
	var found []string
	ast.Inspect(s.file, func(node ast.Node) bool {
		what := "function literal"
		switch f := node.(type) {
		case *ast.FuncDecl:
			what = f.Name.Name
		case *ast.FuncLit:
		default:
			return true
		}
		if lines := s.line(node.End()) - s.line(node.Pos()) + 1; lines > maxFunctionLines {
			found = append(found, s.at(node, "%s has %d lines, the limit is %d: keep the control flow here and move the "+
				"steps to functions with names", what, lines, maxFunctionLines))
		}
		return false
	})
	return found
}

// checkLines finds long lines, and files with too many of them.
func checkLines(name string, text []byte) []string {
	var found []string
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > maxFileLines {
		found = append(found, fmt.Sprintf("%s: %d lines, the limit is %d: split it by subject",
			name, len(lines), maxFileLines))
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > maxColumns {
			found = append(found, fmt.Sprintf("%s:%d: %d columns, the limit is %d: break the line",
				name, i+1, n, maxColumns))
		}
	}
	return found
}

// notes are the words by which code postpones work; spelled so that this file does not contain them.
var notes = []string{"TO" + "DO", "FIX" + "ME"}

// checkNotes finds postponed work.
func checkNotes(name string, text []byte) []string {
	var found []string
	for i, line := range bytes.Split(text, []byte("\n")) {
		for _, note := range notes {
			if bytes.Contains(line, []byte(note)) {
				found = append(found, fmt.Sprintf("%s:%d: %s: do it now, or describe the gap in the README's table of "+
					"deviations", name, i+1, note))
			}
		}
	}
	return found
}

// TestTidy holds all hand-written code against the limits.
func TestTidy(t *testing.T) {
	for _, name := range treeFiles(t) {
		if isGenerated(name) || !isGo(name) && !strings.HasSuffix(name, ".lua") && name != ".ci/run" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		found := append(checkLines(name, text), checkNotes(name, text)...)
		if isGo(name) {
			s, err := parseSource(token.NewFileSet(), name, text)
			if err != nil {
				t.Error(err)
				continue
			}
			found = append(found, checkFunctions(s)...)
		}
		report(t, found)
	}
}

// report turns findings into errors.
func report(t *testing.T, found []string) {
	t.Helper()
	for _, finding := range found {
		t.Error(finding)
	}
}

// wantFindings compares what a rule found with what it must contain, one entry for each finding.
func wantFindings(t *testing.T, found []string, want ...string) {
	t.Helper()
	if len(found) != len(want) {
		t.Errorf("%d findings, want %d: %q", len(found), len(want), found)
		return
	}
	for i := range want {
		if !strings.Contains(found[i], want[i]) {
			t.Errorf("finding %q does not contain %q", found[i], want[i])
		}
	}
}

// TestTidyCanFail shows each limit at its edge.
func TestTidyCanFail(t *testing.T) {
	function := func(lines int) string { return "func f() {\n" + strings.Repeat("\tf()\n", lines-2) + "}\n" }
	literal := "var v = " + strings.TrimPrefix(function(maxFunctionLines+1), "func f() ")
	literal = strings.Replace(literal, "= {", "= func() {", 1)
	for _, c := range []struct {
		code string
		want []string
	}{
		{function(maxFunctionLines), nil},
		{function(maxFunctionLines + 1), []string{"x.go:2: f has 71 lines"}},
		{literal, []string{"x.go:2: function literal has 71 lines"}},
	} {
		s, err := parseSource(token.NewFileSet(), "x.go", []byte("package x\n"+c.code))
		if err != nil {
			t.Fatal(err)
		}
		wantFindings(t, checkFunctions(s), c.want...)
	}

	wantFindings(t, checkLines("x.go", []byte(strings.Repeat("\n", maxFileLines))))
	wantFindings(t, checkLines("x.go", []byte(strings.Repeat("\n", maxFileLines+1))), "x.go: 501 lines")
	wantFindings(t, checkLines("x.go", []byte(strings.Repeat("é", maxColumns))))
	wantFindings(t, checkLines("x.go", []byte("\n"+strings.Repeat("é", maxColumns+1))), "x.go:2: 121 columns")
	wantFindings(t, checkNotes("x.go", []byte("a\n// "+notes[0]+": later\n")), "x.go:2: "+notes[0])
	if !isGenerated("hardware/arch/gic/fields_gen.go") || isGenerated("hardware/arch/gic/gicd.go") {
		t.Error("generated files are not told from others")
	}
}
