package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hwscript/hwscript/host"
)

// A file that is too large, or no file at all, is not read: opening a pipe alone would wait for its writer.
func TestRequireReadsRegularFiles(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.lua")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 300<<20); err != nil { // a hole: it takes no room
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.lua"), 0o700); err != nil {
		t.Fatal(err)
	}
	hasPipe := makePipe(t, filepath.Join(dir, "pipe.lua"))
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	h, err := host.New(host.Options{FS: root.FS()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for name, want := range map[string]string{
		"large":  `test.lua:1: require "large": cannot read large.lua: it has 314572800 bytes: the longest has 4 MiB`,
		"folder": `test.lua:1: require "folder": cannot read folder.lua: is a directory`,
		"pipe":   `test.lua:1: require "pipe": cannot read pipe.lua: it is no regular file`,
	} {
		err := h.Run(t.Context(), "test.lua", "require "+`"`+name+`"`)
		if name == "pipe" && !hasPipe {
			continue
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}
