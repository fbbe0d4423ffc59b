package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/peterh/liner"
)

// A terminal edits lines by way of liner.
type terminal struct {
	line    *liner.State
	keys    *keyboard
	feed    *os.File // what liner reads comes out of its other end
	capable bool     // understands escape sequences
}

// openTerminal takes the terminal at standard input and output.
func openTerminal() (*terminal, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	t := &terminal{feed: in, keys: &keyboard{out: in}, capable: liner.TerminalSupported()}
	stdin := os.Stdin
	// liner reads from what os.Stdin is now, and keeps it. The modes of the terminal it sets by file descriptor.
	os.Stdin = out
	t.line = liner.NewLiner()
	os.Stdin = stdin
	t.line.SetCtrlCAborts(true)
	t.line.SetTabCompletionStyle(liner.TabPrints)
	t.line.SetBeep(false)
	go func() {
		t.keys.run(typedAt{stdin})
		in.Close()
	}()
	return t, nil
}

// close gives the terminal back as it was.
func (t *terminal) close() {
	if t.capable {
		fmt.Print(pasteOff)
	}
	t.line.Close()
}

// interrupt makes a prompt that is under way end as by Ctrl-C, for where the terminal turns that key into a signal.
func (t *terminal) interrupt() { t.feed.WriteString(string(interruptKey) + "\n") }

// errAborted is the answer of a prompt at which Ctrl-C was pressed.
var errAborted = errors.New("aborted")

// prompt reads a line, in which pasted line ends are real ones. The error is io.EOF after Ctrl-D, errAborted after
// Ctrl-C.
func (t *terminal) prompt(prompt string) (string, error) {
	if t.capable {
		fmt.Print(pasteOn)
		defer fmt.Print(pasteOff)
	}
	text, err := t.line.Prompt(prompt)
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", errAborted
	case err != nil:
		return "", err
	case strings.HasSuffix(text, string(interruptKey)): // not edited by liner: a dumb or very narrow terminal
		fmt.Println()
		return "", errAborted
	case text == string(endKey):
		return "", io.EOF
	}
	text = decodeLine.Replace(text)
	if t.capable && (strings.Contains(text, "\n") || len(prompt)+len(text) >= columns()-1) {
		// liner has shown a part of it, in one line. (The bytes may be more than the columns; that does no harm.)
		fmt.Print("\x1b[1A\r\x1b[J" + prompt + strings.ReplaceAll(text, "\n", "\n"+continuation) + "\n")
	}
	return text, nil
}

// cleared reports whether the last Ctrl-C at a prompt has had something to clear.
func (t *terminal) cleared() bool { return t.keys.cleared.Load() }

// remember makes inputs available to recall.
func (t *terminal) remember(entries ...string) {
	for _, e := range entries {
		t.line.AppendHistory(encodeLine.Replace(e))
	}
}

// onTab installs the completion: given what stands before and behind the cursor, it returns words for the last partial
// bytes before it.
func (t *terminal) onTab(find func(before, after string) completion) {
	t.line.SetWordCompleter(func(line string, pos int) (string, []string, string) {
		runes := []rune(line)
		before, after := string(runes[:pos]), string(runes[pos:])
		c := find(decodeLine.Replace(before), decodeLine.Replace(after))
		return strings.TrimSuffix(before, encodeLine.Replace(c.partial)), c.words, after
	})
}
