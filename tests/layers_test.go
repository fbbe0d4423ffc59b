package tests

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of this module; packages are named relative to it.
const module = "github.com/hwscript/hwscript"

// The groups of the layer table. In the list of what a package may import, a pattern that ends in "/..." stands for a
// package and all below it; the packages themselves are listed one by one.
var (
	layer0 = []string{"hardware/bits", "hardware/sim"}
	layer1 = []string{"hardware/arch/a64", "hardware/arch/gic", "hardware/arch/smmu", "hardware/arch/rv"}
	layer2 = []string{"hardware/bus", "hardware/graph"}
	layer3 = []string{"hardware/mem", "hardware/mmu"}
	layer4 = []string{"hardware/cpu"}
	layer5 = []string{
		"hardware/arm", "hardware/gicv3", "hardware/its", "hardware/smmuv3", "hardware/riscv",
		"hardware/aclint", "hardware/opensbi",
	}
	// Software: it meets devices on the bus. Its packages see one another.
	linux  = []string{"hardware/linux", "hardware/linux/arm64", "hardware/linux/iommu", "hardware/linux/irqchip"}
	below5 = slices.Concat(layer0, layer1, layer2, layer3, layer4)

	hostKit  = []string{"host/api", "host/result"}
	layersAC = []string{"host", "host/api", "host/result", "scripts", "bindings", "repl"}
)

// layers says what each package may import besides the standard library. Imports point downwards, and packages of one
// layer do not see each other: a device that needs its neighbour declares a small interface, and hardware/machine plugs
// the neighbour in. A package that is not listed fails; a listed package need not exist yet. Test files are free.
var layers = map[string][]string{
	"hardware/bits": {},
	"hardware/sim":  {},

	"hardware/arch/a64":  {"hardware/bits"},
	"hardware/arch/gic":  {"hardware/bits"},
	"hardware/arch/smmu": {"hardware/bits"},
	"hardware/arch/rv":   {"hardware/bits"},
	"hardware/arch/gen":  {}, // A command run by go generate: it reads the arch packages' source, and is not a model.

	"hardware/graph/plain": {}, // Explored memory written a second time, for tests: it may know nothing of the first.

	"hardware/bus": slices.Concat(layer0, layer1),
	// What a memory model allows: it knows no engine, no CPU and no device.
	"hardware/graph": slices.Concat(layer0, layer1),
	"hardware/mem":   slices.Concat(layer0, layer1, layer2),
	"hardware/mmu":   slices.Concat(layer0, layer1, layer2),
	"hardware/cpu":   slices.Concat(layer0, layer1, layer2, layer3),

	"hardware/arm":           below5,
	"hardware/gicv3":         below5,
	"hardware/its":           below5,
	"hardware/smmuv3":        below5,
	"hardware/riscv":         below5,
	"hardware/aclint":        below5,
	"hardware/opensbi":       below5,
	"hardware/linux":         slices.Concat(below5, linux),
	"hardware/linux/arm64":   slices.Concat(below5, linux),
	"hardware/linux/iommu":   slices.Concat(below5, linux),
	"hardware/linux/irqchip": slices.Concat(below5, linux),

	"hardware/machine": slices.Concat(below5, layer5, linux),
	"hardware/explore": {"hardware/graph", "hardware/sim"},
	// Litmus tests run on the machine's own parts; the explorer itself knows none of them.
	"hardware/explore/litmus": slices.Concat(below5, linux, []string{
		"hardware/arm", "hardware/explore", "hardware/gicv3", "hardware/machine",
	}),

	"host/api": append([]string{"github.com/yuin/gopher-lua/...", "layeh.com/gopher-luar"}, hostKit...),
	"host/result": append([]string{
		"golang.org/x/perf/...", "github.com/HdrHistogram/hdrhistogram-go", "gonum.org/v1/gonum/stat/distuv",
		"gonum.org/v1/plot/...",
	}, hostKit...),
	"host": append([]string{"github.com/yuin/gopher-lua/..."}, hostKit...),

	"scripts":  {},
	"bindings": {"hardware/...", "host/...", "github.com/yuin/gopher-lua/..."},
	"repl":     {"host/...", "github.com/peterh/liner", "golang.org/x/sys/unix"},

	"cmd/hwscript":     append([]string{"cmd/hwscript/cli", "github.com/spf13/cobra"}, layersAC...),
	"cmd/hwscript/cli": append([]string{"github.com/spf13/cobra"}, layersAC...),

	"tests": {},
}

// boardFiles are the files of packages above the models that may name an architecture and its devices: the boards, the
// Lua classes of their parts, and the notation of Arm's litmus tests. All others meet cores and parts as such.
var boardFiles = map[string][]string{
	"hardware/machine": {
		"armboard.go", "armhi1616.go", "armits.go", "armitsgraph.go", "armobjects.go", "armpresets.go", "armqdf2400.go",
		"armsmmu.go", "armspec.go",
	},
	"hardware/explore":        {},
	"hardware/explore/litmus": {"parse.go"},
	"bindings":                {"hwarm.go", "hwgicv3.go", "hwirqchip.go", "hwits.go", "hwsmmu.go"},
}

// checkBoard returns what is wrong with an import of a file, "" if nothing.
func checkBoard(file, imported string) string {
	files, above := boardFiles[path.Dir(file)]
	if !above || slices.Contains(files, path.Base(file)) {
		return ""
	}
	imported = strings.TrimPrefix(imported, module+"/")
	if imported == "hardware/linux" || !slices.Contains(slices.Concat(layer1, layer5, linux), imported) {
		return ""
	}
	return fmt.Sprintf("%s may not import %s: ask the board for what is needed, by an interface", path.Base(file),
		imported)
}

// matches reports whether an import path is covered by a pattern of the table.
func matches(pattern, imported string) bool {
	root, tree := strings.CutSuffix(pattern, "/...")
	return imported == root || tree && strings.HasPrefix(imported, root+"/")
}

// checkImport says what is wrong with one import, or returns "".
func checkImport(pkg, imported string) string {
	list, ok := layers[pkg]
	if !ok {
		return fmt.Sprintf("%s is not in the layer table of tests/layers_test.go and README.md: give it a layer", pkg)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return "" // The standard library; what hardware/ may not use of it is the tidy test's business.
	}
	imported = strings.TrimPrefix(imported, module+"/")
	if slices.ContainsFunc(list, func(pattern string) bool { return matches(pattern, imported) }) {
		return ""
	}
	return fmt.Sprintf("%s may not import %s", pkg, imported)
}

// TestLayers holds the imports of the whole tree against the layer table.
func TestLayers(t *testing.T) {
	files := 0
	for _, name := range treeFiles(t) {
		if !isSource(name) {
			continue
		}
		files++
		pkg := path.Dir(name)
		if _, ok := layers[pkg]; !ok {
			t.Errorf("%s: %s", name, checkImport(pkg, ""))
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, problem := range []string{checkImport(pkg, imported), checkBoard(name, imported)} {
				if problem != "" {
					t.Errorf("%s: %s", name, problem)
				}
			}
		}
	}
	if files == 0 {
		t.Error("found no Go files: the test looks in the wrong place")
	}
}

// TestBoardsCanFail shows that the files of a package are told apart, and that those which are named exist.
func TestBoardsCanFail(t *testing.T) {
	const m, refused = module + "/", ": ask the board for what is needed, by an interface"
	for _, c := range []struct{ file, imported, want string }{
		{"hardware/machine/armboard.go", m + "hardware/gicv3", ""},
		{"hardware/machine/machine.go", m + "hardware/gicv3", "machine.go may not import hardware/gicv3" + refused},
		{"hardware/machine/machine.go", m + "hardware/linux", ""},
		{"hardware/explore/pool.go", m + "hardware/linux/arm64", "pool.go may not import hardware/linux/arm64" + refused},
		{"bindings/hwcpu.go", m + "hardware/arch/a64", "hwcpu.go may not import hardware/arch/a64" + refused},
		{"bindings/hwarm.go", m + "hardware/arch/a64", ""},
		{"hardware/linux/irqchip/gicv3.go", m + "hardware/arch/gic", ""},
	} {
		if got := checkBoard(c.file, c.imported); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", c.file, c.imported, got, c.want)
		}
	}
	tree := treeFiles(t)
	for pkg, files := range boardFiles {
		for _, file := range files {
			if !slices.Contains(tree, pkg+"/"+file) {
				t.Errorf("%s/%s is not there", pkg, file)
			}
		}
	}
}

// TestLayersCanFail shows that the table refuses what it should, and that its own names are sound.
func TestLayersCanFail(t *testing.T) {
	const m = module + "/"
	for _, c := range []struct{ pkg, imported, want string }{
		{"hardware/its", m + "hardware/gicv3", "hardware/its may not import hardware/gicv3"},
		{"hardware/its", m + "hardware/cpu", ""},
		{"hardware/sim", m + "hardware/bits", "hardware/sim may not import hardware/bits"},
		{"hardware/sim", "fmt", ""},
		{"hardware/bus", "github.com/google/go-cmp/cmp", "hardware/bus may not import github.com/google/go-cmp/cmp"},
		{"hardware/bus", m + "hardware/mem", "hardware/bus may not import hardware/mem"},
		{"hardware/linux", m + "hardware/gicv3", "hardware/linux may not import hardware/gicv3"},
		{"hardware/linux", m + "hardware/arm", "hardware/linux may not import hardware/arm"},
		{"hardware/linux/arm64", m + "hardware/arm", "hardware/linux/arm64 may not import hardware/arm"},
		{"hardware/linux/irqchip", m + "hardware/linux/arm64", ""},
		{"hardware/linux/irqchip", m + "hardware/arch/gic", ""},
		{"hardware/linux/irqchip", m + "hardware/machine", "hardware/linux/irqchip may not import hardware/machine"},
		{"hardware/machine", m + "hardware/linux/irqchip", ""},
		{"hardware/machine", m + "hardware/linux/smp", "hardware/machine may not import hardware/linux/smp"},
		{"hardware/explore", m + "hardware/machine", "hardware/explore may not import hardware/machine"},
		{"host", m + "hardware/sim", "host may not import hardware/sim"},
		{"host/result", m + "host/api", ""},
		{"host/api", m + "host", "host/api may not import host"},
		{"host/api", "layeh.com/gopher-luar", ""},
		{"bindings", "layeh.com/gopher-luar", "bindings may not import layeh.com/gopher-luar"},
		{"bindings", m + "hardware", ""},
		{"repl", m + "bindings", "repl may not import bindings"},
		{"cmd/hwscript/cli", m + "hardware/sim", "cmd/hwscript/cli may not import hardware/sim"},
		{"host", m + "hostile", "host may not import hostile"},
	} {
		if got := checkImport(c.pkg, c.imported); got != c.want {
			t.Errorf("checkImport(%q, %q) = %q, want %q", c.pkg, c.imported, got, c.want)
		}
	}
	for _, pkg := range []string{"hardware/misc", "hardware/linux/smp"} {
		if got := checkImport(pkg, "fmt"); !strings.Contains(got, "not in the layer table") {
			t.Errorf("an unlisted package passes: %q", got)
		}
	}
	for pkg, list := range layers {
		for _, pattern := range list {
			name := strings.TrimSuffix(pattern, "/...")
			if strings.Contains(name, ".") || name == "hardware" || name == "host" {
				continue
			}
			if _, ok := layers[name]; !ok {
				t.Errorf("%s may import %s, which the table does not list", pkg, pattern)
			}
		}
	}
}

// root is the repository, seen from this directory, where go test runs.
const root = ".."

// treeFiles returns every file of the repository, relative to it and with slashes, in name order. Hidden directories
// other than .ci belong to tools, not to the project.
func treeFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case name == ".git" && !entry.IsDir(): // git's pointer, in a worktree
		case !entry.IsDir():
			names = append(names, name)
		case strings.HasPrefix(entry.Name(), ".") && name != "." && name != ".ci":
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// isSource reports whether a file is Go code that ends up in a package, and not a test or test data.
func isSource(name string) bool {
	return isGo(name) && !strings.HasSuffix(name, "_test.go")
}

// isGo reports whether a file is Go code of the project.
func isGo(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.Contains("/"+name, "/testdata/")
}
