package tests

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// machinePaths are places that exist on one developer's machine only; spelled so that this file does not contain them.
var machinePaths = []string{"/wo" + "rk/", "../" + "shared", "/ho" + "me/", "/Us" + "ers/"}

// checkText finds carriage returns and paths of one machine in a text file.
func checkText(name string, text []byte) []string {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil // An image, or a binary that git ignores.
	}
	var found []string
	for i, line := range bytes.Split(text, []byte("\n")) {
		if bytes.IndexByte(line, '\r') >= 0 {
			found = append(found, fmt.Sprintf("%s:%d: carriage return: lines end in LF alone", name, i+1))
		}
		for _, place := range machinePaths {
			if bytes.Contains(line, []byte(place)) {
				found = append(found, fmt.Sprintf("%s:%d: refers to %s: copy what is needed into the project", name, i+1, place))
			}
		}
	}
	return found
}

var goFileName = regexp.MustCompile(`^[a-z0-9]+(_gen)?(_test)?\.go$`)

// checkName finds file names that break the naming rule.
func checkName(name string) []string {
	base := path.Base(name)
	switch {
	case isGo(name) && !goFileName.MatchString(base):
		return []string{name + ": Go files are named in lower-case letters and digits, with no suffix but _test and _gen"}
	case base == "LICENSE" || strings.HasSuffix(base, ".md"):
		return nil
	case base != strings.ToLower(base):
		return []string{name + ": file names are lower-case"}
	}
	return nil
}

// checkMarkdown wants exactly one title, as the first thing in the file.
func checkMarkdown(name string, text []byte) []string {
	titles, fenced := 0, false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(line, "# ") {
			titles++
		}
	}
	if titles != 1 || !bytes.HasPrefix(text, []byte("# ")) {
		return []string{fmt.Sprintf("%s: %d titles: begin the file with its only \"# Title\"", name, titles)}
	}
	return nil
}

// packageComment reports whether a Go file carries the comment of its package.
func packageComment(text []byte) (bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || file.Doc == nil {
		return false, err
	}
	start := "Package " + file.Name.Name + " "
	if file.Name.Name == "main" {
		start = "Command "
	}
	return strings.HasPrefix(file.Doc.Text(), start), nil
}

// checkReadme finds packages of the layer table that the README does not name.
func checkReadme(text []byte) []string {
	var found []string
	for pkg := range layers {
		pkg = strings.TrimSuffix(pkg, "/...")
		if !bytes.Contains(text, []byte("`"+pkg+"`")) {
			found = append(found, fmt.Sprintf("README.md: its layer table does not name `%s`", pkg))
		}
	}
	slices.Sort(found)
	return found
}

// TestText holds every file of the repository, whatever its language, against the rules for text.
func TestText(t *testing.T) {
	commented := map[string]bool{} // By package directory: whether one of its files carries the package comment.
	for _, name := range treeFiles(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		report(t, checkName(name))
		report(t, checkText(name, text))
		if strings.HasSuffix(name, ".md") {
			report(t, checkMarkdown(name, text))
		}
		if name == "README.md" {
			report(t, checkReadme(text))
		}
		if isSource(name) {
			has, err := packageComment(text)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			commented[path.Dir(name)] = commented[path.Dir(name)] || has
		}
	}
	for pkg, has := range commented {
		if !has {
			t.Errorf("%s: no package comment: begin one file with \"// Package %s ...\" (\"// Command ...\" for a command)",
				pkg, path.Base(pkg))
		}
	}
}

// TestTextCanFail shows that each rule for text finds what it bans, and nothing else.
func TestTextCanFail(t *testing.T) {
	wantFindings(t, checkText("x", []byte("a\nb\n")))
	wantFindings(t, checkText("x", []byte("\x00\r\n")))
	wantFindings(t, checkText("x", []byte("a\nb\r\n")), "x:2: carriage return")
	for _, place := range machinePaths {
		wantFindings(t, checkText("x", []byte("see "+place+"x")), "x:1: refers to "+place)
	}

	for _, good := range []string{
		"LICENSE", "README.md", "a/b_test.go", "a/fields_gen.go", "a/fields_gen_test.go", "scripts/gic/ipi_latency.lua",
		"a/testdata/fuzz/FuzzDecode/0a1b", "a/testdata/some_input.go",
	} {
		wantFindings(t, checkName(good))
	}
	wantFindings(t, checkName("a/cpu_if.go"), "a/cpu_if.go: Go files are named")
	wantFindings(t, checkName("a/cpuIf.go"), "a/cpuIf.go: Go files are named")
	wantFindings(t, checkName("a/cpu_example_test.go"), "Go files are named")
	wantFindings(t, checkName("scripts/IPI.lua"), "scripts/IPI.lua: file names are lower-case")

	wantFindings(t, checkMarkdown("x.md", []byte("# One\n\n## Two\n```\n# a comment\n```\n")))
	wantFindings(t, checkMarkdown("x.md", []byte("# One\n# Two\n")), "x.md: 2 titles")
	wantFindings(t, checkMarkdown("x.md", []byte("## One\n")), "x.md: 0 titles")
	wantFindings(t, checkMarkdown("x.md", []byte("text\n# One\n")), "begin the file")

	for code, want := range map[string]bool{
		"// Package x does.\npackage x":    true,
		"// Command x does.\npackage main": true,
		"// Package y does.\npackage x":    false,
		"// Package x does.\n\npackage x":  false,
		"package x":                        false,
	} {
		if got, err := packageComment([]byte(code)); err != nil || got != want {
			t.Errorf("packageComment(%q) = %v, %v, want %v", code, got, err, want)
		}
	}

	if n := len(checkReadme([]byte("`hardware/sim`"))); n != len(layers)-1 {
		t.Errorf("a README that names one package gives %d findings, want %d", n, len(layers)-1)
	}
}
