package explore

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/hwscript/hwscript/hardware/graph"
)

// A Token is all that repeats an execution: which exploration, with which parameters and seed, the path, and what the
// execution is known by.
type Token struct {
	Name, Params string
	Seed         uint64
	Path         graph.Path
	Digest       uint32
}

// TokenVersion is the number of the form of tokens and of the search whose choices they name: it changes when a path
// would lead elsewhere.
const TokenVersion = 2

// objects is where locations begin that are no memory. Their states are numbered as they are met.
const objects = 1 << 62

// Digest is what an execution is known by: what its threads do, in the order of its steps, and what is wrong with it.
func Digest(steps []graph.Step, finding string) uint32 {
	var b []byte
	for i := range steps {
		s := steps[i]
		if s.At >= objects {
			s.Read, s.Written = 0, 0
		}
		for _, v := range []uint64{uint64(s.Thread), uint64(s.Op), uint64(s.Kind), s.At, s.Read, s.Written} {
			b = binary.AppendUvarint(b, v)
		}
		b = binary.AppendVarint(b, int64(s.From))
	}
	return crc32.ChecksumIEEE(append(b, finding...))
}

// String is the token as printed: letters, digits, '-' and '_'.
func (t Token) String() string {
	b := []byte{TokenVersion}
	for _, s := range []string{t.Name, t.Params} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, t.Seed)
	b = binary.LittleEndian.AppendUint32(b, t.Digest)
	b = binary.AppendUvarint(b, uint64(len(t.Path.Cuts)))
	for _, c := range t.Path.Cuts {
		b = binary.AppendUvarint(b, c)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Path.Choices)))
	for i := 0; i < len(t.Path.Choices); { // each choice with the zeros before it
		zeros := i
		for i < len(t.Path.Choices)-1 && t.Path.Choices[i] == 0 {
			i++
		}
		b = binary.AppendUvarint(b, uint64(i-zeros))
		b = binary.AppendUvarint(b, uint64(t.Path.Choices[i]))
		i++
	}
	sum := crc32.ChecksumIEEE(b)
	return base64.RawURLEncoding.EncodeToString(append(b, byte(sum), byte(sum>>8)))
}

var errToken = errors.New("not a replay token, or a damaged one")

// maxChoices bounds what a token can ask for.
const maxChoices = 1 << 20

// ParseToken reads a token.
func ParseToken(text string) (Token, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < 3 {
		return Token{}, errToken
	}
	body := b[:len(b)-2]
	if sum := crc32.ChecksumIEEE(body); byte(sum) != b[len(b)-2] || byte(sum>>8) != b[len(b)-1] {
		return Token{}, errToken
	}
	if body[0] != TokenVersion {
		return Token{}, fmt.Errorf("a token of another version of hwscript (%d, expected %d): run the script again for a "+
			"new one", body[0], TokenVersion)
	}
	p := parser{rest: body[1:]}
	t := Token{Name: p.text(), Params: p.text(), Seed: p.number(), Digest: p.word()}
	for n := p.count(); n > 0; n-- {
		t.Path.Cuts = append(t.Path.Cuts, p.number())
	}
	for n := p.count(); n > 0; n-- {
		zeros, choice := p.number(), p.number()
		if zeros >= n || choice > 1<<16-1 {
			return Token{}, errToken
		}
		t.Path.Choices = append(append(t.Path.Choices, make([]uint16, zeros)...), uint16(choice))
		n -= zeros
	}
	if p.failed || len(p.rest) > 0 {
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

// count is the number of things that follow, each of which takes a byte, or stands behind one that says how many.
func (p *parser) count() uint64 {
	n := p.number()
	if n > maxChoices {
		p.failed, p.rest = true, nil
		return 0
	}
	return n
}

func (p *parser) word() uint32 {
	if len(p.rest) < 4 {
		p.failed, p.rest = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint32(p.rest)
	p.rest = p.rest[4:]
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
