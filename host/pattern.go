package host

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Bounds of patterns, as in Lua.
const (
	maxCaptures     = 32
	maxPatternDepth = 200 // of recursion: an item of a pattern may need one level
)

// What a capture has in place of a length.
const (
	captureOpen     = -1
	capturePosition = -2
)

// stepBatch is how many steps a match takes between two looks at the limits: some us.
const stepBatch = 512

// matcher matches a Lua pattern (Lua 5.1 Reference Manual, 5.4.1) by backtracking, like Lua's own. The time for that
// grows with any power of the text's length, so it counts its steps: they are charged to the run, and the run may end
// in between.
type matcher struct {
	L        *lua.LState
	scope    *scope
	text     string
	pattern  string
	anchored bool // by a ^, which is then not in pattern
	depth    int
	steps    int // not yet charged
	captures []capture
	first    [4]capture // where captures is, mostly
}

type capture struct{ start, length int }

// newMatcher makes a matcher for one call of a string function, which ends with finish.
func newMatcher(L *lua.LState, text, pattern string) *matcher {
	m := &matcher{L: L, scope: scopeOf(L), text: text}
	m.pattern, m.anchored = strings.CutPrefix(pattern, "^")
	return m
}

// finish charges the remaining steps. It raises no error, as one may be on its way.
func (m *matcher) finish() { m.scope.charge(m.steps) }

func (m *matcher) step(n int) {
	if m.steps += n; m.steps >= stepBatch {
		n, m.steps = m.steps, 0
		m.scope.Spend(m.L, n)
	}
}

// fail raises an error about the pattern.
func (m *matcher) fail(text string) { m.L.RaiseError("%s", text) }

// search returns the first match from init on; start is negative if there is none.
func (m *matcher) search(init int) (start, end int) {
	for start = init; start <= len(m.text); start++ {
		if end = m.matchAt(start); end >= 0 {
			return start, end
		}
		if m.anchored {
			break
		}
	}
	return -1, -1
}

// matchAt returns the end of the match that begins at start, or a negative number.
func (m *matcher) matchAt(start int) int {
	m.captures, m.depth = m.first[:0], 0
	return m.match(start, 0)
}

// match matches the pattern from p on with the text from s on, and returns the end in the text or a negative number.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxPatternDepth {
		m.fail("pattern too complex")
	}
	end := m.items(s, p)
	m.depth--
	return end
}

// items matches item after item, and recurses where there is a choice.
func (m *matcher) items(s, p int) int {
	for s >= 0 && p < len(m.pattern) {
		m.step(1)
		switch c := m.pattern[p]; {
		case c == '(':
			if strings.HasPrefix(m.pattern[p+1:], ")") {
				return m.open(s, p+2, capturePosition)
			}
			return m.open(s, p+1, captureOpen)
		case c == ')':
			return m.close(s, p+1)
		case c == '$' && p+1 == len(m.pattern):
			if s < len(m.text) {
				return -1
			}
			return s
		case c == '%' && strings.HasPrefix(m.pattern[p+1:], "b"):
			s, p = m.balance(s, p+2), p+4
		case c == '%' && strings.HasPrefix(m.pattern[p+1:], "f"):
			s, p = m.frontier(s, p+2)
		case c == '%' && p+1 < len(m.pattern) && isDigit(m.pattern[p+1]):
			s, p = m.again(s, m.pattern[p+1]), p+2
		default:
			end := m.classEnd(p)
			if end < len(m.pattern) && strings.IndexByte("*+?-", m.pattern[end]) >= 0 {
				return m.repeat(s, p, end)
			}
			if !m.single(s, p, end) {
				return -1
			}
			s, p = s+1, end
		}
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// repeat matches a class with a repetition, which stands at end.
func (m *matcher) repeat(s, p, end int) int {
	switch m.pattern[end] {
	case '?':
		if m.single(s, p, end) {
			if r := m.match(s+1, end+1); r >= 0 {
				return r
			}
		}
		return m.match(s, end+1)
	case '-':
		for {
			if r := m.match(s, end+1); r >= 0 {
				return r
			}
			if !m.single(s, p, end) {
				return -1
			}
			s++
		}
	}
	n := 0
	for m.single(s+n, p, end) {
		n++
	}
	least := 0
	if m.pattern[end] == '+' {
		least = 1
	}
	for ; n >= least; n-- {
		if r := m.match(s+n, end+1); r >= 0 {
			return r
		}
	}
	return -1
}

// open begins a capture; its length says of what kind.
func (m *matcher) open(s, p, kind int) int {
	if len(m.captures) == maxCaptures {
		m.fail("too many captures")
	}
	m.captures = append(m.captures, capture{s, kind})
	end := m.match(s, p)
	if end < 0 {
		m.captures = m.captures[:len(m.captures)-1]
	}
	return end
}

// close ends the innermost open capture.
func (m *matcher) close(s, p int) int {
	i := len(m.captures) - 1
	for i >= 0 && m.captures[i].length != captureOpen {
		i--
	}
	if i < 0 {
		m.fail("invalid pattern capture")
	}
	m.captures[i].length = s - m.captures[i].start
	end := m.match(s, p)
	if end < 0 {
		m.captures[i].length = captureOpen
	}
	return end
}

// balance matches %bxy, whose two characters stand at p.
func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		m.fail("malformed pattern (missing arguments to '%b')")
	}
	opening, closing := m.pattern[p], m.pattern[p+1]
	if s >= len(m.text) || m.text[s] != opening {
		return -1
	}
	for level, i := 1, s+1; i < len(m.text); i++ {
		m.step(1)
		switch m.text[i] {
		case closing:
			if level--; level == 0 {
				return i + 1
			}
		case opening:
			level++
		}
	}
	return -1
}

// frontier matches %f[set], whose set stands at p, and returns where the text and the pattern go on.
func (m *matcher) frontier(s, p int) (int, int) {
	if p >= len(m.pattern) || m.pattern[p] != '[' {
		m.fail("missing '[' after '%f' in pattern")
	}
	end := m.classEnd(p)
	var before, after byte
	if s > 0 {
		before = m.text[s-1]
	}
	if s < len(m.text) {
		after = m.text[s]
	}
	if m.inSet(before, p, end) || !m.inSet(after, p, end) {
		return -1, end
	}
	return s, end
}

// again matches the text of a capture that is complete.
func (m *matcher) again(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= len(m.captures) || m.captures[i].length < 0 {
		m.fail("invalid capture index")
	}
	c := m.captures[i]
	m.step(c.length / workPerInstruction)
	if !strings.HasPrefix(m.text[s:], m.text[c.start:c.start+c.length]) {
		return -1
	}
	return s + c.length
}

// classEnd returns where the single character class that begins at p ends.
func (m *matcher) classEnd(p int) int {
	pattern := m.pattern
	switch c := pattern[p]; {
	case c == '%' && p+1 == len(pattern):
		m.fail("malformed pattern (ends with '%')")
	case c == '%':
		return p + 2
	case c == '[':
		end := p + 1
		if strings.HasPrefix(pattern[end:], "^") {
			end++
		}
		for first := true; end < len(pattern) && (first || pattern[end] != ']'); first = false {
			if pattern[end] == '%' {
				end++
			}
			end++
		}
		m.step((end - p) / setPerStep)
		if end >= len(pattern) {
			m.fail("malformed pattern (missing ']')")
		}
		return end + 1
	}
	return p + 1
}

// setPerStep is how many characters of a set are looked at in the time of a step.
const setPerStep = 8

// single reports whether the character at s is in the class from p to end.
func (m *matcher) single(s, p, end int) bool {
	m.step(1)
	if s >= len(m.text) {
		return false
	}
	switch c := m.text[s]; m.pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p, end)
	default:
		return c == m.pattern[p]
	}
}

// inSet reports whether c is in the set from p to end, brackets included.
func (m *matcher) inSet(c byte, p, end int) bool {
	m.step((end - p) / setPerStep)
	set, negated := strings.CutPrefix(m.pattern[p+1:end-1], "^")
	for i := 0; i < len(set); i++ {
		switch {
		case set[i] == '%' && i+1 < len(set):
			i++
			if inClass(c, set[i]) {
				return !negated
			}
		case i+2 < len(set) && set[i+1] == '-':
			if set[i] <= c && c <= set[i+2] {
				return !negated
			}
			i += 2
		case set[i] == c:
			return !negated
		}
	}
	return negated
}

// inClass reports whether c is in the class %letter. The classes are those of the C locale.
func inClass(c, letter byte) bool {
	lower := letter | ('a' - 'A')
	var in bool
	switch lower {
	case 'a':
		in = isAlpha(c)
	case 'c':
		in = c < ' ' || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = '!' <= c && c <= '~' && !isAlpha(c) && !isDigit(c)
	case 's':
		in = c == ' ' || '\t' <= c && c <= '\r'
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isAlpha(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case 'z':
		in = c == 0
	default:
		return c == letter
	}
	return in == (letter == lower)
}

func isAlpha(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// pushMatch pushes the captures of a match or, if there are none, the whole match, and returns how many values.
func (m *matcher) pushMatch(start, end int) int {
	if len(m.captures) == 0 {
		m.L.Push(lua.LString(m.text[start:end]))
		return 1
	}
	return m.pushCaptures()
}

func (m *matcher) pushCaptures() int {
	for i := range m.captures {
		m.L.Push(m.capture(i, 0, 0))
	}
	return len(m.captures)
}

// capture returns capture i, counted from 0, of the match from start to end. Without captures, the first is the whole.
func (m *matcher) capture(i, start, end int) lua.LValue {
	if i >= len(m.captures) {
		if i > 0 {
			m.fail("invalid capture index")
		}
		return lua.LString(m.text[start:end])
	}
	switch c := m.captures[i]; c.length {
	case capturePosition:
		return lua.LNumber(c.start + 1)
	case captureOpen:
		m.fail("unfinished capture")
		return lua.LNil
	default:
		return lua.LString(m.text[c.start : c.start+c.length])
	}
}
