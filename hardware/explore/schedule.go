package explore

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A Schedule is the decisions of an execution, in order: at each state with several channels that can move, which one,
// 0 being the one that moved last, or else the first; at each choice, the outcome. What lies behind its end is 0.
type Schedule []uint32

// schedule is the present execution's.
func (w *walker) schedule() Schedule {
	var s Schedule
	for i := range w.nodes[:w.depth] {
		n := &w.nodes[i]
		if len(n.ready) > 1 {
			s = append(s, uint32(rank(preferred(n.ready, n.channel), preferred(n.ready, n.last))))
		}
		for _, c := range n.choices {
			s = append(s, uint32(c.taken))
		}
	}
	for len(s) > 0 && s[len(s)-1] == 0 {
		s = s[:len(s)-1]
	}
	return s
}

// reader replays a schedule.
type reader struct {
	schedule Schedule
	at       int
}

// next is the position of the next decision among several.
func (r *reader) next(count, preferred int) int {
	if count < 2 {
		return 0
	}
	k := 0
	if r.at < len(r.schedule) {
		k = int(r.schedule[r.at])
	}
	r.at++
	if k >= count {
		k = 0 // the schedule is of another program, or was shortened
	}
	return order(k, preferred)
}

// A Token is all that repeats an execution: which exploration, with which parameters and seed, and the schedule.
type Token struct {
	Name, Params string
	Seed         uint64
	Schedule     Schedule
}

// String is the token as printed: letters, digits, '-' and '_'.
func (t Token) String() string {
	var b []byte
	for _, s := range []string{t.Name, t.Params} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, t.Seed)
	zeros := uint64(0) // decisions that are 0 since the last one that is not
	for _, d := range t.Schedule {
		if d == 0 {
			zeros++
			continue
		}
		b = binary.AppendUvarint(b, zeros)
		b = binary.AppendUvarint(b, uint64(d))
		zeros = 0
	}
	sum := crc32.ChecksumIEEE(b)
	return base64.RawURLEncoding.EncodeToString(append(b, byte(sum), byte(sum>>8)))
}

var errToken = errors.New("not a replay token, or a damaged one")

// maxDecisions bounds what a token can ask for.
const maxDecisions = 1 << 20

// ParseToken reads a token.
func ParseToken(text string) (Token, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 2 {
		return Token{}, errToken
	}
	body := b[:len(b)-2]
	if sum := crc32.ChecksumIEEE(body); byte(sum) != b[len(b)-2] || byte(sum>>8) != b[len(b)-1] {
		return Token{}, errToken
	}
	p := parser{rest: body}
	t := Token{Name: p.text(), Params: p.text(), Seed: p.number()}
	for len(p.rest) > 0 && !p.failed {
		zeros, d := p.number(), p.number()
		if zeros > maxDecisions || len(t.Schedule) > maxDecisions || d > 1<<31 {
			return Token{}, errToken
		}
		t.Schedule = append(append(t.Schedule, make(Schedule, zeros)...), uint32(d))
	}
	if p.failed {
		return Token{}, errToken
	}
	return t, nil
}

type parser struct {
	rest   []byte
	failed bool
}

func (p *parser) number() uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.failed, p.rest = true, nil
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) text() string {
	n := p.number()
	if n > uint64(len(p.rest)) {
		p.failed, p.rest = true, nil
		return ""
	}
	s := string(p.rest[:n])
	p.rest = p.rest[n:]
	return s
}
