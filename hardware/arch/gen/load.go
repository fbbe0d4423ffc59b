package main

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// manual is what an arch package declares.
type manual struct {
	name      string
	fset      *token.FileSet
	registers []*register
	fields    []*field
	values    map[string][]value // by type, in order of declaration
	problems  []error
}

// where a register lives; spelled as in package bits.
const (
	inFrame  = "InFrame"
	inSystem = "InSystem"
	inMemory = "InMemory"
)

type register struct {
	name          string
	where         string
	addr          uint64
	count, stride int
	doc           string
	pos           token.Pos
	fields        []*field
}

type field struct {
	name string // whole, the register's name included
	mask uint64
	doc  string
	pos  token.Pos
	reg  *register
}

type value struct {
	name string
	v    uint64
}

// load parses and type-checks the package in dir. Of its imports only package bits matters, and of that only that Field
// and SysReg are unsigned integers, so a few lines stand in for it.
func load(dir string) (*manual, error) {
	m := &manual{fset: token.NewFileSet(), values: map[string][]value{}}
	files, err := m.parse(dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: bitsOnly{}, IgnoreFuncBodies: true}
	if _, err := config.Check(m.name, m.fset, files, info); err != nil {
		return nil, err
	}
	for _, file := range files {
		m.collect(file, info)
	}
	return m, nil
}

// parse reads the package's own source: neither its tests nor what gen wrote.
func (m *manual) parse(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == generated {
			continue
		}
		file, err := parser.ParseFile(m.fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		m.name = file.Name.Name
		files = append(files, file)
	}
	return files, nil
}

// bitsOnly imports a stand-in for package bits, and nothing else.
type bitsOnly struct{}

const bitsSource = `package bits
type Field uint64
type SysReg uint16
type Table []struct{}
func (f Field) Get(w uint64) uint64
func (f Field) Put(w, v uint64) uint64
func (f Field) Is(w uint64) bool
`

func (bitsOnly) Import(name string) (*types.Package, error) {
	if path.Base(name) != "bits" || path.Base(path.Dir(name)) != "hardware" {
		return nil, errors.New("an arch package imports hardware/bits only, not " + name)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "bits.go", bitsSource, 0)
	if err != nil {
		return nil, err
	}
	return (&types.Config{}).Check(name, fset, []*ast.File{file}, nil)
}

// collect sorts the constants of a file into registers, fields and values.
func (m *manual) collect(file *ast.File, info *types.Info) {
	for _, decl := range file.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			s := spec.(*ast.ValueSpec)
			for _, ident := range s.Names {
				if c, ok := info.Defs[ident].(*types.Const); ok && ident.IsExported() {
					m.constant(c, comment(s))
				}
			}
		}
	}
}

func comment(s *ast.ValueSpec) string {
	return strings.TrimSpace(strings.ReplaceAll(s.Comment.Text(), "\n", " "))
}

func (m *manual) constant(c *types.Const, doc string) {
	v, exact := constant.Uint64Val(constant.ToInt(c.Val()))
	if !exact {
		return // a negative or non-integer constant is neither a register nor a field
	}
	switch t := c.Type().(type) {
	case *types.Basic:
		if t.Kind() == types.UntypedInt {
			m.register(c, inFrame, v, doc)
		}
	case *types.Named:
		switch t.Obj().Name() {
		case "Field":
			m.fields = append(m.fields, &field{name: c.Name(), mask: v, doc: doc, pos: c.Pos()})
		case "SysReg":
			m.register(c, inSystem, v, doc)
		default:
			m.values[t.Obj().Name()] = append(m.values[t.Obj().Name()], value{c.Name(), v})
		}
	}
}

func (m *manual) register(c *types.Const, where string, v uint64, doc string) {
	m.registers = append(m.registers, &register{
		name: c.Name(), where: where, addr: v, count: 1, stride: 4, doc: doc, pos: c.Pos(),
	})
}
