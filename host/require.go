package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// module returns the table of a built-in module, made on first use.
func (h *Host) module(m *api.Module) lua.LValue {
	if v := h.loaded[m.Name]; v != nil {
		return v
	}
	v := api.NewModule(h.state, m)
	h.loaded[m.Name] = v
	return v
}

// require returns a built-in module, or what the .lua file of that name beside the script returned when it first ran.
func (h *Host) require(L *lua.LState) int {
	name := stringAt(L, 1)
	if m := h.modules[name]; m != nil {
		L.Push(h.module(m))
		return 1
	}
	if library, ok := h.globals.RawGetString(name).(*lua.LTable); ok && isLibrary(name) {
		L.Push(library)
		return 1
	}
	file := filePath(L, name)
	if v := h.loaded[file]; v != nil {
		L.Push(v)
		return 1
	}
	if i := slices.Index(h.loading, file); i >= 0 {
		cycle := append(append([]string(nil), h.loading[i:]...), file)
		L.RaiseError("require %q: the files require each other: %s", name, strings.Join(cycle, " -> "))
	}
	source, err := h.readSource(L, file)
	if err != nil {
		h.notFound(L, name, file, err)
	}
	if ThreadOf(L) != nil {
		// What the file makes would be state that programs share, made at a moment that depends on them.
		L.RaiseError("require %q: the file has not been loaded yet, and a program of a CPU cannot load it; require it at "+
			"the top of the script", name)
	}
	fn, err := h.compileIn(L, h.nameOf(file), source)
	if err != nil {
		api.Raise(L, err)
	}
	outer := h.loading
	h.loading = append(outer, file)
	defer func() { h.loading = outer }() // also if the file raises an error that the script catches
	L.Push(fn)
	L.Push(lua.LString(name))
	L.Call(1, 1)
	value := L.Get(-1)
	if value == lua.LNil {
		value = lua.LTrue
	}
	h.loaded[file] = value
	L.Push(value)
	return 1
}

func isLibrary(name string) bool {
	switch name {
	case "coroutine", "math", "string", "table":
		return true
	}
	return false
}

// filePath returns the path of module name, in which dots separate folders as in Lua; so may slashes.
func filePath(L *lua.LState, name string) string {
	if len(name) > maxName {
		L.RaiseError("require: a name of %d characters", len(name))
	}
	file := strings.TrimSuffix(name, ".lua")
	if !strings.Contains(file, "/") && !strings.HasPrefix(file, ".") {
		file = strings.ReplaceAll(file, ".", "/")
	}
	file += ".lua"
	if !fs.ValidPath(file) || strings.Contains(file, `\`) {
		L.RaiseError("require %q: expected the name of a module or of a .lua file beside the script or below it", name)
	}
	return file
}

// nameOf is what errors call a file in FS: a path that an editor can open.
func (h *Host) nameOf(file string) string { return path.Join(h.opts.Dir, file) }

// MaxSource is how many bytes the longest source text has that is read from a file: the parser takes some seconds for
// it.
const MaxSource = 1 << 22

// ReadSource reads a file that holds a source text: a regular one, since others may keep who reads them waiting for
// ever, of no more than MaxSource bytes.
func ReadSource(name string) (string, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = checkSource(info)
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(name)
	return string(text), err
}

// checkSource returns why a file cannot be a source text's.
func checkSource(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("is a directory")
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case info.Size() > MaxSource:
		return fmt.Errorf("it has %d bytes: the longest has %s", info.Size(), bytesText(MaxSource))
	}
	return nil
}

// readSource reads a file within the limits of the run.
func (h *Host) readSource(L *lua.LState, file string) (string, error) {
	if h.opts.FS == nil {
		return "", fs.ErrNotExist
	}
	info, err := fs.Stat(h.opts.FS, file)
	if err == nil {
		err = checkSource(info)
	}
	if err != nil {
		return "", err
	}
	scopeOf(L).grow(L, int(info.Size()), int(info.Size()))
	f, err := h.opts.FS.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	source, err := io.ReadAll(io.LimitReader(f, MaxSource))
	return string(source), err
}

// notFound raises the error for a file that cannot be read.
func (h *Host) notFound(L *lua.LState, name, file string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		L.RaiseError("require %q: cannot read %s: %v", name, file, err)
	}
	names := make([]string, 0, len(h.modules))
	for module := range h.modules {
		names = append(names, module)
	}
	slices.Sort(names)
	hint := suggestion(name, names)
	if hint == "" && len(names) > 0 {
		hint = "; built in are " + strings.Join(names, ", ")
	}
	L.RaiseError("require %q: no such module, and no file %s beside the script%s", name, file, hint)
}
