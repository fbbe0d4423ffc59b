package host

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Bounds of a source text.
const (
	// maxDepth is how deeply the nodes of a syntax tree may be nested. The compiler recurses, and the end of the Go
	// stack is the end of the process; for sums and functions inside one another its time grows with the square.
	maxDepth = 1000

	// maxCallee is the longest name by which a function may be called: each line of a traceback contains one.
	maxCallee = 200
)

// checker walks through a syntax tree. It refuses integer literals from 2^53 on, which the virtual machine would round,
// and trees that the compiler could not cope with.
//
// Where a run has limits, it also rewrites what takes much memory in a single instruction, and so between two readings
// of the memory in use:
//
//	a .. b .. c    becomes    concat(a, b, c)
//	t[k] = v       becomes    t[index(k)] = v
//
// concat is Host.concat: a string doubled thirty times takes a gigabyte. index is Host.checkIndex: the virtual machine
// fills an array up to the key that is set. The script can neither see nor replace the two: they are constants of its
// functions, put in place of string constants after the compilation.
//
// The walk is by reflection, since the syntax tree has no visitor and forty types of node.
type checker struct {
	name    string
	rewrite bool
	depth   int
}

// The string constants in whose place the functions are put. No source text has them: its literals that contain a
// byte 0 are made longer by hideMarkers.
const (
	concatMarker = "\x00concat"
	indexMarker  = "\x00index"
)

var (
	identType  = reflect.TypeFor[*ast.IdentExpr]()
	stringType = reflect.TypeFor[*ast.StringExpr]()
)
