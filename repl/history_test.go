package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestHistory(t *testing.T) {
	h := history{filepath.Join(t.TempDir(), "deep", "down", "history")}
	if got := h.load(); got != nil {
		t.Errorf("a new history holds %q", got)
	}
	entries := []string{"x = 1", "function f()\n\treturn '\\n'\nend", `"\\"`, "日本"}
	for _, e := range entries {
		h.add(e)
	}
	if got := h.load(); !reflect.DeepEqual(got, entries) {
		t.Errorf("got %q, want %q", got, entries)
	}
	info, err := os.Stat(h.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestHistoryOfTwoSessions expects what two write at once to be there whole, also when one shortens the file. Whatever
// the order, what is dropped is older than what stays: of each session an unbroken sequence of its latest entries
// stays, which is empty only if the other has gone on for long after it.
func TestHistoryOfTwoSessions(t *testing.T) {
	h := history{filepath.Join(t.TempDir(), "history")}
	big := strings.Repeat("x", 1000)
	const each = 800 // together more than the limit
	var wg sync.WaitGroup
	for id := range 2 {
		wg.Go(func() {
			for i := range each {
				h.add(fmt.Sprintf("%s %d %d", big, id, i))
				if i%100 == 0 {
					h.load()
				}
			}
		})
	}
	wg.Wait()
	seen := h.load()
	if len(seen) < historyEntries/3 || len(seen) > historyEntries {
		t.Errorf("%d entries", len(seen))
	}
	next := [2]int{-1, -1}
	for _, e := range seen {
		var id, i int
		numbers, whole := strings.CutPrefix(e, big+" ")
		if n, err := fmt.Sscanf(numbers, "%d %d", &id, &i); !whole || n != 2 || err != nil {
			t.Fatalf("torn: %.40q", e)
		}
		if next[id] >= 0 && i != next[id] {
			t.Fatalf("entry %d of session %d follows upon %d", i, id, next[id]-1)
		}
		next[id] = i + 1
	}
	for id, n := range next {
		if n >= 0 && n != each {
			t.Errorf("the entries of session %d end with %d", id, n-1)
		}
	}
	if info, err := os.Stat(h.path); err != nil || info.Size() > 2*historyBytes {
		t.Errorf("size %d, %v", info.Size(), err)
	}
}

func TestHistoryFile(t *testing.T) {
	for _, c := range []struct{ variable, state, home, want string }{
		{"off", "/s", "/h", ""},
		{"/a/b", "/s", "/h", "/a/b"},
		{"", "/s", "/h", "/s/hwscript/history"},
		{"", "relative", "/h", "/h/.local/state/hwscript/history"},
		{"", "", "/h", "/h/.local/state/hwscript/history"},
		{"", "", "", ""},
	} {
		t.Setenv(HistoryVariable, c.variable)
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv("HOME", c.home)
		if got := HistoryFile(); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

// TestNoHistory expects a session to work where no history can be kept.
func TestNoHistory(t *testing.T) {
	for _, path := range []string{"", "/dev/null/history"} {
		h := history{path}
		h.add("x")
		if got := h.load(); got != nil {
			t.Errorf("%q: got %q", path, got)
		}
	}
}
