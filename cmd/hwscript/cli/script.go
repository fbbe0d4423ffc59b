package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/scripts"
)

// A script is a source text, what errors and results call it, and where it finds further files.
type script struct {
	name   string
	text   string
	files  fs.FS
	dir    string // the folder of files, as an editor finds it
	file   string // where it was read from; "": nowhere, or from the binary
	inline bool   // from the command line or a pipe: the modules are globals, and values are printed
}

// createAtomic opens a file for what the script writes, which is not the script itself.
func (s script) createAtomic(name string) (*atomicFile, error) {
	f, err := createAtomic(name)
	if err == nil && s.file != "" && f.isFile(s.file) {
		f.discard()
		return nil, usageErrorf("%s is the script: it would be overwritten", name)
	}
	return f, err
}

// loadScript finds the script that the command line means: a file, - for standard input, or a built-in scenario.
func (a *app) loadScript(name string) (script, error) {
	if name == "-" {
		text, err := io.ReadAll(io.LimitReader(newInput(a.ctx, a.stdin), host.MaxSource+1))
		if len(text) > host.MaxSource {
			err = usageErrorf("the script on standard input has more than %d bytes: no script may", host.MaxSource)
		}
		return script{name: "stdin", text: string(text), files: folder("."), inline: true}, err
	}
	text, err := host.ReadSource(name)
	if err == nil {
		dir := filepath.Dir(name)
		return script{
			name: filepath.ToSlash(name), text: text, files: folder(dir), dir: filepath.ToSlash(dir), file: name,
		}, nil
	}
	if builtin, canonical, ok := scripts.Source(name); ok {
		dir := "scripts/" + path.Dir(canonical)
		files, err := fs.Sub(scripts.Files(), path.Dir(canonical))
		if err != nil {
			return script{}, err
		}
		return script{name: "scripts/" + canonical + ".lua", text: string(builtin), files: files, dir: dir}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return script{}, usageErrorf("cannot read %s: %v", name, cause(err))
	}
	if s := suggestScript(name); s != "" {
		return script{}, usageErrorf("no file and no built-in scenario %q; did you mean %q?", name, s)
	}
	return script{}, usageErrorf("no file and no built-in scenario %q; hwscript list shows the scenarios", name)
}

// suggestScript returns the built-in scenario that was probably meant: one of a similar name, or of this name in some
// area.
func suggestScript(name string) string {
	names := scripts.Names()
	canonical := scripts.Canonical(name)
	if s := api.Suggest(canonical, names); s != "" {
		return s
	}
	bases := make([]string, len(names))
	for i, n := range names {
		bases[i] = path.Base(n)
	}
	base := api.Suggest(path.Base(canonical), bases)
	for i := range bases {
		if base != "" && bases[i] == base {
			return names[i]
		}
	}
	return ""
}

// folder returns the files of a folder, for require; a link cannot lead out of it. Without the folder there are none.
func folder(name string) fs.FS {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil
	}
	return root.FS()
}

// parseParams reads the -p flags.
func parseParams(given []string) (map[string]string, error) {
	params := make(map[string]string, len(given))
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usageErrorf("-p %s: expected name=value", text)
		}
		if _, twice := params[name]; twice {
			return nil, usageErrorf("-p %s: the parameter is given twice", name)
		}
		params[name] = value
	}
	return params, nil
}
