package explore

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A Schedule is what leads to an execution, as numbers.
type Schedule []uint32

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
