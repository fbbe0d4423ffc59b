package repl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A history keeps the inputs of all sessions in a file, one a line, the oldest first.
//
// Sessions only ever append, each input with one write, so that two at the same time do not erase each other's. When
// the file has grown beyond its limit, the next session that starts drops the oldest half; a lock on the file keeps
// others from writing meanwhile. All of it is best effort: a session without a history is better than none.
type history struct{ path string } // "": inputs are not kept

const (
	historyEntries = 1000    // what a session can recall; liner keeps as many
	historyBytes   = 1 << 20 // size of the file beyond which the oldest inputs are dropped
)

// HistoryVariable is the environment variable that names the history file; "off" is for none.
const HistoryVariable = "HWSCRIPT_HISTORY"

// HistoryFile returns the name of the history file: what HistoryVariable says, else hwscript/history in the user's
// directory for state ($XDG_STATE_HOME, by default ~/.local/state). "" means that inputs are not to be kept.
func HistoryFile() string {
	switch name := os.Getenv(HistoryVariable); name {
	case "":
	case "off":
		return ""
	default:
		return name
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the XDG specification has relative paths ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "hwscript", "history")
}

// encodeEntry and decodeEntry put an input of several lines on one.
var (
	encodeEntry = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	decodeEntry = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// load returns the latest inputs, the oldest first, and keeps the file within its limit.
func (h history) load() []string {
	f, err := h.open()
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	if len(text) > historyBytes {
		text = h.shorten(f, text)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	lines = lines[max(0, len(lines)-historyEntries):]
	var entries []string
	for _, line := range lines {
		if line != "" {
			entries = append(entries, decodeEntry.Replace(line))
		}
	}
	return entries
}

// open opens the file for reading and appending, for the user only, and locks it until it is closed.
func (h history) open() (*os.File, error) {
	if h.path == "" {
		return nil, errors.New("inputs are not kept")
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	f.Chmod(0o600) // one that was made by hand may be open to others
	lockFile(f)
	return f, nil
}

// shorten drops the older half of the file and returns what remains.
func (h history) shorten(f *os.File, text []byte) []byte {
	rest := text[len(text)/2:]
	rest = rest[bytes.IndexByte(rest, '\n')+1:]
	if err := f.Truncate(0); err != nil {
		return text
	}
	f.Write(rest) // a failure loses inputs of the past, and nothing else
	return rest
}

// add appends an input.
func (h history) add(entry string) {
	const longest = historyBytes / 4
	if len(entry) > longest {
		return
	}
	f, err := h.open()
	if err != nil {
		return
	}
	defer f.Close()
	io.WriteString(f, encodeEntry.Replace(entry)+"\n")
}
