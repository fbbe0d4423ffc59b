package repl

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

// Terminals mark what is pasted, if asked to. liner does not know the marks: it would take each pasted line for an
// input of its own, and each tab for a request to complete. So what the terminal sends goes through a keyboard, which
// hands a pasted text to liner as one line, its line ends and tabs as visible stand-ins. They stand for themselves no
// more: what is typed, pasted or recalled with them is decoded.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	newlineSign = '\u2424' // SYMBOL FOR NEWLINE
	tabSign     = '\u2409' // SYMBOL FOR HORIZONTAL TABULATION

	interruptKey = '\x03' // Ctrl-C
	endKey       = '\x04' // Ctrl-D
)

var (
	encodeLine = strings.NewReplacer("\n", string(newlineSign), "\t", string(tabSign))
	decodeLine = strings.NewReplacer(string(newlineSign), "\n", string(tabSign), "\t")
)

// keyboard passes the bytes of a terminal on.
type keyboard struct {
	out     io.Writer
	held    []byte // the beginning of a mark, or of a pasted text
	pasting bool
	typed   atomic.Bool // something was typed since the last line end or Ctrl-C
	cleared atomic.Bool // the last Ctrl-C had something to clear
}

// markTimeout is how long the rest of a mark may take after its beginning, which could also be the Escape key. It is
// shorter than the 50 ms that liner waits for the rest of a key's sequence.
const markTimeout = 20 * time.Millisecond

// run passes on what comes from in, until its end.
func (k *keyboard) run(in io.Reader) {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			buffer := make([]byte, 4096)
			n, err := in.Read(buffer)
			if n > 0 {
				chunks <- buffer[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		var timeout <-chan time.Time
		if len(k.held) > 0 && !k.pasting {
			timeout = time.After(markTimeout)
		}
		select {
		case data, ok := <-chunks:
			if !ok {
				return
			}
			k.receive(data)
		case <-timeout:
			k.pass(k.held)
			k.held = nil
		}
	}
}

// receive handles bytes as they come.
func (k *keyboard) receive(data []byte) {
	data = append(k.held, data...)
	k.held = nil
	for len(data) > 0 {
		mark := pasteBegin
		if k.pasting {
			mark = pasteEnd
		}
		before, after, found := bytes.Cut(data, []byte(mark))
		switch {
		case found && k.pasting:
			k.paste(string(before))
			k.pasting = false
		case found:
			k.pass(before)
			k.pasting = true
		case k.pasting:
			k.held = data
			return
		default:
			n := len(data) - partialMark(data)
			k.pass(data[:n])
			k.held = data[n:]
			return
		}
		data = after
	}
}

// partialMark is how many bytes at the end of data can be the beginning of pasteBegin.
func partialMark(data []byte) int {
	for n := min(len(data), len(pasteBegin)-1); n > 0; n-- {
		if bytes.HasSuffix(data, []byte(pasteBegin[:n])) {
			return n
		}
	}
	return 0
}

// pass hands over what was typed. Where liner cannot edit, it waits for lines that end in \n. The terminal makes them,
// but not of keys that were pressed between prompts: these come as they are, and are made lines here.
func (k *keyboard) pass(data []byte) {
	out := make([]byte, 0, len(data)+1)
	for _, c := range data {
		switch c {
		case interruptKey:
			k.cleared.Store(k.typed.Load())
			k.typed.Store(false)
		case '\r', '\n':
			c = '\n'
			k.typed.Store(false)
		case endKey:
			if !k.typed.Load() {
				out = append(out, endKey)
				c = '\n'
			}
		default:
			k.typed.Store(true)
		}
		out = append(out, c)
	}
	if len(out) > 0 {
		k.out.Write(out) // fails only when the session ends
	}
}

// paste hands over a pasted text. Line ends at its end are left out: it is for the user to enter it.
func (k *keyboard) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = encodeLine.Replace(strings.TrimRight(text, "\n"))
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	k.pass([]byte(text))
}
