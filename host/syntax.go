package host

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// SyntaxError is a source text that is not Lua.
type SyntaxError struct {
	File       string
	Line, Col  int // Col is 0 if it is not known
	Msg        string
	Incomplete bool // the text ends too early: more lines could complete it
}

func (e *SyntaxError) Error() string {
	if e.Col > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// syntaxError makes a SyntaxError of an error of the parser or compiler.
func syntaxError(name, source string, err error) *SyntaxError {
	e := &SyntaxError{File: name, Line: 1, Msg: err.Error()}
	var parsed *parse.Error
	var compiled *lua.CompileError
	switch {
	case errors.As(err, &parsed):
		e.Line, e.Col = parsed.Pos.Line, parsed.Pos.Column
		e.Msg = parsed.Message
		if parsed.Token != "" {
			e.Msg += fmt.Sprintf(" near %q", parsed.Token)
		}
		switch {
		case parsed.Pos.Line == parse.EOF:
			e.endsEarly(source)
		case parsed.Message == "unterminated string":
			e.Line, e.Col = e.Line-1, 0 // the scanner is beyond the newline at which it objects
		}
	case errors.As(err, &compiled):
		e.Line, e.Msg = min(compiled.Line, lastLine(source)), compiled.Message // it counts one too many at the end
	}
	return e
}

// lastLine returns the number of the last line of a text that is not empty.
func lastLine(source string) int { return 1 + strings.Count(strings.TrimRight(source, "\n"), "\n") }

// endsEarly words the error of a source text that ends in the middle of something.
func (e *SyntaxError) endsEarly(source string) {
	what, line := openAtEnd(source)
	e.Line, e.Col, e.Incomplete = line, 0, what != "string"
	e.Msg = "unterminated " + what
	if what == "" {
		e.Line = lastLine(source)
		e.Msg = "unexpected end of the source text; is an 'end' or a closing bracket missing?"
	}
}

// openAtEnd says in what kind of token a source text ends, and in which line that begins; "" if it ends in none.
func openAtEnd(source string) (what string, line int) {
	line = 1
	for at := 0; at < len(source); {
		what = "string"
		rest, length := source[at:], 1
		switch {
		case strings.HasPrefix(rest, "--") && longBracket(rest[2:]) != "":
			what = "comment"
			length = lengthTo(rest, longBracket(rest[2:]), 4)
		case strings.HasPrefix(rest, "--"):
			length = max(2, strings.IndexByte(rest+"\n", '\n'))
		case longBracket(rest) != "":
			what = "multiline string"
			length = lengthTo(rest, longBracket(rest), 2)
		case rest[0] == '"' || rest[0] == '\'':
			length = quotedLength(rest)
		}
		if length < 0 {
			return what, line
		}
		line += strings.Count(rest[:length], "\n")
		at += length
	}
	return "", line
}

// longBracket returns the bracket that closes the long bracket with which a text begins, "" if it begins with none.
func longBracket(text string) string {
	level := strings.TrimLeft(strings.TrimPrefix(text, "["), "=")
	if !strings.HasPrefix(text, "[") || !strings.HasPrefix(level, "[") {
		return ""
	}
	return "]" + strings.Repeat("=", len(text)-len(level)-1) + "]"
}

// lengthTo returns the length of a text up to the end of what closes it, which is not looked for before from; -1 if
// nothing does.
func lengthTo(text, closing string, from int) int {
	i := strings.Index(text[from:], closing)
	if i < 0 {
		return -1
	}
	return from + i + len(closing)
}

// quotedLength returns the length of the string literal with which a text begins, -1 if it does not end.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case text[0]:
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}
