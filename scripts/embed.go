// Package scripts holds the built-in scenarios and the published figures they are set beside, embedded so that the
// binary works alone.
//
// A scenario is scripts/AREA/NAME.lua. Its first comment line that is not a directive ("--! ...") says in one line what
// it shows.
package scripts

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed */*
var files embed.FS

// Files returns all scenarios and data, under their paths below this folder.
func Files() fs.FS { return files }

// Data returns the folder of published figures: published.tsv and sources.tsv.
func Data() fs.FS {
	data, err := fs.Sub(files, "data")
	if err != nil {
		panic("BUG: scripts: " + err.Error())
	}
	return data
}

// Names returns the names of the scenarios, such as "gic/ipi_latency", sorted.
func Names() []string {
	paths, err := fs.Glob(files, "*/*.lua")
	if err != nil {
		panic("BUG: scripts: " + err.Error())
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(p, ".lua")
	}
	slices.Sort(paths)
	return paths
}

// Canonical returns the name under which a scenario would be built in: without "scripts/" and ".lua".
func Canonical(name string) string {
	name = path.Clean(strings.ReplaceAll(name, "\\", "/"))
	return strings.TrimSuffix(strings.TrimPrefix(name, "scripts/"), ".lua")
}

// Source returns the text of a built-in scenario and its canonical name, with or without "scripts/" and ".lua".
func Source(name string) (text []byte, canonical string, ok bool) {
	canonical = Canonical(name)
	text, err := files.ReadFile(canonical + ".lua")
	return text, canonical, err == nil
}

// Summary returns the line of a script that says what it shows, or "".
func Summary(text []byte) string {
	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "--")
		if !ok {
			return ""
		}
		if !strings.HasPrefix(comment, "!") {
			return strings.TrimSpace(comment)
		}
	}
	return ""
}
