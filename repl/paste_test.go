package repl

import (
	"bytes"
	"io"
	"testing"
	"time"
)

func TestKeyboard(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{"typed", []string{"x = 1\r"}, "x = 1\n"},
		{"one pasted line", []string{"a\x1b[200~b c\x1b[201~d"}, "ab cd"},
		{"pasted lines", []string{"\x1b[200~function f()\r\n\treturn 1\r\nend\r\n\x1b[201~\r"},
			"function f()\u2424\u2409return 1\u2424end\n"},
		{"marks in pieces", []string{"\x1b", "[20", "0~a\n", "b\x1b[2", "01~c"}, "a\u2424bc"},
		{"two pastes", []string{"\x1b[200~1\n2\x1b[201~\x1b[200~3\n4\x1b[201~"}, "1\u242423\u24244"},
		{"control characters", []string{"\x1b[200~a\x03\x1b[31mb\x07\x1b[201~"}, "a[31mb"},
		{"keys with sequences", []string{"\x1b[A\x1b[", "B"}, "\x1b[A\x1b[B"},
		{"not ASCII", []string{"\x1b[200~\u00e9\n\u65e5\u672c\x1b[201~"}, "\u00e9\u2424\u65e5\u672c"},
	} {
		var out bytes.Buffer
		k := &keyboard{out: &out}
		for _, chunk := range c.chunks {
			k.receive([]byte(chunk))
		}
		if out.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, out.String(), c.want)
		}
	}
}

// TestEscapeKey expects the Escape key to get through though it could begin a mark.
func TestEscapeKey(t *testing.T) {
	in, typed := io.Pipe()
	out, sink := io.Pipe()
	k := &keyboard{out: sink}
	go k.run(in)
	go typed.Write([]byte("\x1b"))
	got := make(chan byte)
	go func() {
		b := make([]byte, 1)
		if _, err := out.Read(b); err == nil {
			got <- b[0]
		}
	}()
	select {
	case b := <-got:
		if b != '\x1b' {
			t.Errorf("got %q", b)
		}
	case <-time.After(time.Minute):
		t.Error("the key is held back")
	}
	typed.Close()
}

func TestWhatCtrlCClears(t *testing.T) {
	k := &keyboard{out: io.Discard}
	for _, c := range []struct {
		keys string
		want bool
	}{
		{"\x03", false}, {"abc\x03", true}, {"\x03", false}, {"x = 1\r\x03", false}, {"\x1b[A\x03", true},
		{"\x1b[200~a\x1b[201~\x03", true},
	} {
		k.receive([]byte(c.keys))
		if got := k.cleared.Load(); got != c.want {
			t.Errorf("%q: %v", c.keys, got)
		}
	}
}

func FuzzKeyboard(f *testing.F) {
	f.Add([]byte("a\x1b[200~b\nc\x1b[201~\x03\r"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		// However the bytes arrive, the same comes out.
		var whole, pieces bytes.Buffer
		k := &keyboard{out: &whole}
		k.receive(data)
		l := &keyboard{out: &pieces}
		at := 0
		if len(data) > 0 {
			at = int(uint(cut) % uint(len(data)))
		}
		l.receive(data[:at])
		l.receive(data[at:])
		if !bytes.Equal(append(whole.Bytes(), k.held...), append(pieces.Bytes(), l.held...)) {
			t.Errorf("got %q and %q", whole.Bytes(), pieces.Bytes())
		}
	})
}
