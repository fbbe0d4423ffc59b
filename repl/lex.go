package repl

import "strings"

// A token is a word of Lua source text. Comments leave none.
type token struct {
	kind tokenKind
	text string // of a string: what stands between the quotes
	open bool   // a string or comment that is not closed: the text ends inside it
}

type tokenKind uint8

const (
	symbolToken tokenKind = iota
	nameToken
	keywordToken
	numberToken
	stringToken
	commentToken // only an open one
)

// keywords are the reserved words of Lua 5.1.
var keywords = []string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not", "or",
	"repeat", "return", "then", "true", "until", "while",
}

var isKeyword = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range keywords {
		m[k] = true
	}
	return m
}()

// lex splits source text, which may be wrong or end anywhere. It serves completion; what is a whole chunk is the
// parser's to say.
func lex(source string) []token {
	l := lexer{rest: source}
	for l.next() {
	}
	return l.tokens
}

type lexer struct {
	rest   string
	tokens []token
}

func (l *lexer) emit(kind tokenKind, text string, open bool) {
	l.tokens = append(l.tokens, token{kind, text, open})
}

// next takes one token or comment off the rest.
func (l *lexer) next() bool {
	l.rest = strings.TrimLeft(l.rest, " \t\r\n")
	if l.rest == "" {
		return false
	}
	switch c := l.rest[0]; {
	case strings.HasPrefix(l.rest, "--"):
		l.comment()
	case isLetter(c):
		word := l.take(func(c byte) bool { return isLetter(c) || isDigit(c) })
		kind := nameToken
		if isKeyword[word] {
			kind = keywordToken
		}
		l.emit(kind, word, false)
	case isDigit(c):
		l.emit(numberToken, l.take(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }), false)
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '[':
		if body, open, ok := l.long(); ok {
			l.emit(stringToken, body, open)
			break
		}
		l.symbol()
	default:
		l.symbol()
	}
	return true
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (l *lexer) take(while func(byte) bool) string {
	n := 0
	for n < len(l.rest) && while(l.rest[n]) {
		n++
	}
	word := l.rest[:n]
	l.rest = l.rest[n:]
	return word
}

func (l *lexer) symbol() {
	for _, s := range []string{"...", "..", "==", "~=", "<=", ">="} {
		if strings.HasPrefix(l.rest, s) {
			l.emit(symbolToken, s, false)
			l.rest = l.rest[len(s):]
			return
		}
	}
	l.emit(symbolToken, l.rest[:1], false)
	l.rest = l.rest[1:]
}

func (l *lexer) comment() {
	l.rest = l.rest[2:]
	if _, open, ok := l.long(); ok {
		if open {
			l.emit(commentToken, "", true)
		}
		return
	}
	_, after, closed := strings.Cut(l.rest, "\n")
	l.rest = after
	if !closed {
		l.emit(commentToken, "", true)
	}
}

// quoted takes a string in quotes. A line end closes it, as an error that is not ours to report.
func (l *lexer) quoted(quote byte) {
	for i := 1; i < len(l.rest); i++ {
		switch c := l.rest[i]; c {
		case '\\':
			i++
		case quote, '\n':
			l.emit(stringToken, l.rest[1:i], false)
			l.rest = l.rest[i+1:]
			return
		}
	}
	l.emit(stringToken, l.rest[1:], true)
	l.rest = ""
}

// long takes a string or comment in long brackets, if one begins here.
func (l *lexer) long() (body string, open, ok bool) {
	if !strings.HasPrefix(l.rest, "[") {
		return "", false, false
	}
	level := len(l.rest[1:]) - len(strings.TrimLeft(l.rest[1:], "="))
	begin := level + 2
	if len(l.rest) < begin || l.rest[begin-1] != '[' {
		return "", false, false
	}
	body, after, closed := strings.Cut(l.rest[begin:], "]"+strings.Repeat("=", level)+"]")
	l.rest = after
	return body, !closed, true
}
