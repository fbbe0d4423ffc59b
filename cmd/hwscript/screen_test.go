package main_test

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A screen is what a terminal shows: enough of one for the sequences that liner and the session send. It has no bottom,
// so that it keeps what would have scrolled away.
type screen struct {
	width    int
	rows     [][]rune
	row, col int
	pending  []byte   // the beginning of a sequence or character
	unknown  []string // sequences that it does not understand
	modes    map[string]bool
}

func newScreen(width int) *screen {
	if width == 0 {
		width = 80 // a terminal that does not tell has some width all the same
	}
	return &screen{width: width, rows: [][]rune{nil}, modes: map[string]bool{}}
}

func (s *screen) Write(data []byte) (int, error) {
	rest := append(s.pending, data...)
	for len(rest) > 0 {
		n := s.take(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	s.pending = append([]byte(nil), rest...)
	return len(data), nil
}

// take handles what data begins with and returns its length, 0 if it is not all there yet.
func (s *screen) take(data []byte) int {
	switch data[0] {
	case '\r':
		s.col = 0
		return 1
	case '\n':
		s.down()
		return 1
	case '\a':
		return 1
	case '\b':
		s.col = max(0, s.col-1)
		return 1
	case '\t':
		s.col = (s.col/8 + 1) * 8
		return 1
	case '\x1b':
		return s.sequence(string(data))
	}
	if !utf8.FullRune(data) {
		return 0
	}
	r, n := utf8.DecodeRune(data)
	s.put(r)
	return n
}

// sequence handles a control sequence: ESC [ parameters letter.
func (s *screen) sequence(data string) int {
	end := strings.IndexFunc(data, func(r rune) bool { return unicode.IsLetter(r) })
	if end < 0 {
		return 0
	}
	params, n := strings.TrimPrefix(data[:end], "\x1b["), 1
	if v, err := strconv.Atoi(params); err == nil {
		n = v
	}
	switch data[end] {
	case 'A':
		s.row = max(0, s.row-n)
	case 'B':
		s.row = min(len(s.rows)-1, s.row+n)
	case 'C':
		s.col += n
	case 'G':
		s.col = n - 1
	case 'K':
		s.cut()
	case 'J':
		s.cut()
		s.rows = s.rows[:s.row+1]
	case 'h', 'l':
		s.modes[params] = data[end] == 'h'
	default:
		s.unknown = append(s.unknown, data[:end+1])
	}
	return end + 1
}

func (s *screen) cut() {
	if line := s.rows[s.row]; s.col < len(line) {
		s.rows[s.row] = line[:s.col]
	}
}

func (s *screen) down() {
	s.row++
	if s.row == len(s.rows) {
		s.rows = append(s.rows, nil)
	}
}

// put writes a character at the cursor; of a wide one, the second cell is 0.
func (s *screen) put(r rune) {
	cells := []rune{r}
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		cells = append(cells, 0)
	}
	if s.col+len(cells) > s.width {
		s.col = 0
		s.down()
	}
	line := s.rows[s.row]
	for len(line) < s.col+len(cells) {
		line = append(line, ' ')
	}
	s.col += copy(line[s.col:], cells)
	s.rows[s.row] = line
}

// text is the screen's content, one line a row.
func (s *screen) text() string {
	lines := make([]string, len(s.rows))
	for i, row := range s.rows {
		lines[i] = strings.TrimRight(strings.ReplaceAll(string(row), "\x00", ""), " ")
	}
	return strings.Join(lines, "\n")
}
