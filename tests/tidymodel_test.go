package tests

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// bannedImports are the packages through which the host would leak into a model, each with its cure.
var bannedImports = map[string]string{
	"time":         "simulated time is sim.Time; the host's time enters only as a stop function from outside",
	"math/rand":    "draw from the run's seed with sim.Jitter, or ask Engine.Choose",
	"math/rand/v2": "draw from the run's seed with sim.Jitter, or ask Engine.Choose",
	"crypto/rand":  "draw from the run's seed with sim.Jitter, or ask Engine.Choose",
	"os":           "a model touches no files and no environment: take what it needs in its Spec, write to an io.Writer",
	"sync":         "an engine is used by one goroutine at a time: no lock is needed",
	"sync/atomic":  "an engine is used by one goroutine at a time: a plain variable will do",
	"reflect":      "write it out, or generate it in a _gen.go file",
}

// exemptions lists, per file, the rules that do not hold there: "go" for go statements, or an import path.
var exemptions = map[string][]string{
	// The only goroutines of the model: each worker explores with an engine of its own.
	"hardware/explore/pool.go":    {"go", "sync", "sync/atomic"},
	"hardware/explore/workers.go": {"go", "sync", "sync/atomic"},
}

// isModel reports whether the rules of the model hold for a file: all of hardware/ but the code generator.
func isModel(name string) bool {
	return isSource(name) && strings.HasPrefix(name, "hardware/") && !strings.HasPrefix(name, "hardware/arch/gen/")
}

// loader type-checks packages of this module from their source, and of the standard library through std.
type loader struct {
	fset    *token.FileSet
	std     types.Importer
	modules map[string]*types.Package // By import path; nil while a package is being checked.
	infos   map[string]*types.Info
	sources map[string][]*source
}

func newLoader() *loader {
	fset := token.NewFileSet()
	return &loader{
		fset:    fset,
		std:     importer.ForCompiler(fset, "source", nil),
		modules: map[string]*types.Package{},
		infos:   map[string]*types.Info{},
		sources: map[string][]*source{},
	}
}

// Import implements types.Importer.
func (l *loader) Import(imported string) (*types.Package, error) {
	if pkg, ok := strings.CutPrefix(imported, module+"/"); ok {
		return l.load(pkg)
	}
	return l.std.Import(imported)
}

// load parses and checks one package, named relative to the module, with all that it imports.
func (l *loader) load(pkg string) (*types.Package, error) {
	if checked, ok := l.modules[pkg]; ok {
		if checked == nil {
			return nil, fmt.Errorf("import cycle through %s", pkg)
		}
		return checked, nil
	}
	l.modules[pkg] = nil
	dir, err := build.ImportDir(filepath.Join(root, pkg), 0)
	if err != nil {
		return nil, err
	}
	for _, name := range dir.IgnoredGoFiles {
		if isSource(path.Join(pkg, name)) {
			return nil, fmt.Errorf("%s/%s: has a build constraint: a model is the same on every machine", pkg, name)
		}
	}
	var sources []*source
	for _, name := range dir.GoFiles {
		text, err := os.ReadFile(filepath.Join(root, pkg, name))
		if err != nil {
			return nil, err
		}
		s, err := parseSource(l.fset, path.Join(pkg, name), text)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return l.check(pkg, sources)
}

// check type-checks parsed files as one package and keeps the result.
func (l *loader) check(pkg string, sources []*source) (*types.Package, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	var files []*ast.File
	for _, s := range sources {
		files = append(files, s.file)
	}
	var errs []error
	config := types.Config{Importer: l, Error: func(err error) { errs = append(errs, err) }}
	checked, _ := config.Check(module+"/"+pkg, l.fset, files, info) // Its error is the first of errs.
	l.modules[pkg], l.infos[pkg], l.sources[pkg] = checked, info, sources
	return checked, errors.Join(errs...)
}

// checkModel finds all breaches of the model's rules in one package that has been checked.
func (l *loader) checkModel(pkg string) []string {
	var found []string
	for _, s := range l.sources[pkg] {
		c := modelChecker{source: s, info: l.infos[pkg], exempt: exemptions[s.name]}
		c.imports()
		ast.Inspect(s.file, func(node ast.Node) bool {
			c.visit(node)
			return true
		})
		found = append(found, c.found...)
	}
	return found
}

// modelChecker walks one file.
type modelChecker struct {
	*source
	info   *types.Info
	exempt []string
	found  []string
	floats int // The last line on which floating point was found: once a line is enough.
}

func (c *modelChecker) add(node ast.Node, format string, args ...any) {
	c.found = append(c.found, c.at(node, format, args...))
}

func (c *modelChecker) imports() {
	for _, spec := range c.file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value) // It type-checks, so it is a string.
		if cure, banned := bannedImports[imported]; banned && !slices.Contains(c.exempt, imported) {
			c.add(spec, "imports %s: %s", imported, cure)
		}
	}
}

func (c *modelChecker) visit(node ast.Node) {
	switch n := node.(type) {
	case *ast.GoStmt:
		if !slices.Contains(c.exempt, "go") {
			c.add(n, "go statement: use a sim.Proc, whose turn the engine decides, not the host")
		}
	case *ast.RangeStmt:
		if c.isMapOrder(n.X) {
			c.add(n, "ranges over a map, in random order: keep a slice, or range over slices.Sorted(maps.Keys(m))")
		}
	case *ast.BasicLit:
		if n.Kind == token.FLOAT || n.Kind == token.IMAG {
			c.float(n)
		}
	case *ast.Ident:
		c.printing(n)
	}
	if expr, ok := node.(ast.Expr); ok && isFloat(c.info.Types[expr].Type) {
		c.float(expr)
	}
}

// isMapOrder reports whether ranging over an expression follows the order of a map: it is one, or an iterator of
// package maps.
func (c *modelChecker) isMapOrder(expr ast.Expr) bool {
	if t := c.info.Types[expr].Type; t != nil {
		if _, isMap := t.Underlying().(*types.Map); isMap {
			return true
		}
	}
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && objectPackage(c.info.Uses[selector.Sel]) == "maps"
}

func (c *modelChecker) float(node ast.Node) {
	if line := c.line(node.Pos()); line != c.floats {
		c.floats = line
		c.add(node, "floating point, which differs between processors: use integers, with the unit in the type or name")
	}
}

// printing finds the functions that write to the process's own output.
func (c *modelChecker) printing(name *ast.Ident) {
	object := c.info.Uses[name]
	builtin, ok := object.(*types.Builtin)
	switch {
	case ok && (builtin.Name() == "print" || builtin.Name() == "println"):
	case objectPackage(object) == "fmt" && strings.HasPrefix(object.Name(), "Print"):
	default:
		return
	}
	c.add(name, "%s writes to standard output, which belongs to the command: write to an io.Writer", name.Name)
}

// objectPackage returns the path of the package in which a package-level object is declared, or "".
func objectPackage(object types.Object) string {
	if object == nil || object.Pkg() == nil || object.Parent() != object.Pkg().Scope() {
		return ""
	}
	return object.Pkg().Path()
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

// TestModel holds all of hardware/ against the rules of the model.
func TestModel(t *testing.T) {
	packages := map[string]bool{}
	for _, name := range treeFiles(t) {
		if isModel(name) {
			packages[path.Dir(name)] = true
		}
	}
	if len(packages) == 0 {
		t.Error("found no packages under hardware/: the test looks in the wrong place")
	}
	l := newLoader()
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		if _, err := l.load(pkg); err != nil {
			t.Errorf("%s: %v", pkg, err)
		}
		report(t, l.checkModel(pkg))
	}
}
