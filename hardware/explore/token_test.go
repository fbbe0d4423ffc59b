package explore_test

import (
	"encoding/base64"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
)

func TestTokens(t *testing.T) {
	for _, choices := range [][]uint16{nil, {0}, {0, 0, 3, 1, 0, 2}, {1, 65535, 0, 0, 0}} {
		want := explore.Token{
			Name: "gic/sgi", Params: "barrier=none", Seed: 1 << 60, Digest: 0xfedc_ba98,
			Path: graph.Path{Choices: choices, Cuts: []uint64{0x1004, 1 << 62}},
		}
		text := want.String()
		got, err := explore.ParseToken(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, %v", text, got, err)
		}
		for i := range text {
			damaged := text[:i] + string('A'+(text[i]+1)%26) + text[i+1:]
			if damaged == text {
				continue
			}
			if _, err := explore.ParseToken(damaged); err == nil {
				t.Errorf("%s is taken for a token", damaged)
			}
		}
	}
}

// A token of another version is refused in words, and one that asks for too much is none.
func TestTokenVersions(t *testing.T) {
	seal := func(b []byte) string {
		sum := crc32.ChecksumIEEE(b)
		return base64.RawURLEncoding.EncodeToString(append(b, byte(sum), byte(sum>>8)))
	}
	b, _ := base64.RawURLEncoding.DecodeString(explore.Token{Name: "a"}.String())
	b[0] = 1
	_, err := explore.ParseToken(seal(b[:len(b)-2]))
	const want = "a token of another version of hwscript (1, expected 2): run the script again for a new one"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
	huge := append([]byte{explore.TokenVersion, 0, 0, 0, 0, 0, 0, 0, 0}, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0)
	if _, err := explore.ParseToken(seal(huge)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(explore.Token{Name: "a", Path: graph.Path{Choices: []uint16{1}}}.String())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := explore.ParseToken(text)
		if err != nil {
			return
		}
		if again, err := explore.ParseToken(token.String()); err != nil || again.String() != token.String() {
			t.Fatalf("%q: %+v, then %+v, %v", text, token, again, err)
		}
	})
}
