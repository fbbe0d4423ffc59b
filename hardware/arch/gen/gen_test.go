package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackages holds every arch package to the rules of check.go, and its generated file to its declarations.
func TestPackages(t *testing.T) {
	dirs, err := filepath.Glob("../*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, dir := range dirs {
		if filepath.Base(dir) == "gen" {
			continue
		}
		seen++
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want, err := generate(dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, generated))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is stale: run go generate ./hardware/arch/...", filepath.Join(dir, generated))
			}
		})
	}
	if seen == 0 {
		t.Fatal("found no arch packages: the test looks in the wrong place")
	}
}

// TestRefuses shows that each rule bites.
func TestRefuses(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"mask off by one", "const R_A bits.Field = 0xf << 1 // [3:0] A.", "has the mask 0x1e, its comment says [3:0] = 0xf"},
		{"bit beyond 63", "const R_A bits.Field = 1 << 63 // [64] A.", "its comment says [64:64] = 0x0"},
		{"no comment on a field", "const R_A bits.Field = 1", "want a comment of the form \"[hi:lo] Text.\""},
		{"no comment on a register", "const REG = 4", "REG has no comment"},
		{"no full stop", "const REG = 4 // Register", "want a comment of the form"},
		{"overlap", "const (\nR_A bits.Field = 7 // [2:0] A.\nR_B bits.Field = 4 // [2] B.\n)", "R_B overlaps R_A"},
		{"encoding", "const S bits.SysReg = 0xc661 // [3,0,12,12,0] S.", "S is 0xc661, its comment says 0xc660"},
		{"CSR number", "const S bits.SysReg = 0x300 // [0x301] S.", "S is 0x300, its comment says 0x301"},
		{"field of nothing", "const Field bits.Field = 1 // [0] A.", "a field is named REGISTER_Field"},
		{"import", "import _ \"fmt\"", "imports hardware/bits only, not fmt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := generateText(t, c.source)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
}

// TestRender shows the whole output for one register of each kind.
func TestRender(t *testing.T) {
	got, err := generateText(t, `
const (
	D_CTLR = 0x10 // Control.
	D_CTLR_Mode bits.Field = 3 << 4 // [5:4] How; Mode.
	D_CTLR_On bits.Field = 1 // [0] On.
	D_WORDS = 0x100 // [4 x 8] Words.
	E0_V bits.Field = 1 // [0] Valid.
	S_EL1 bits.SysReg = 0xc660 // [3,0,12,12,0] System.
)
type Mode uint8
const Fast Mode = 2
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{Name: "D_CTLR", Where: bits.InFrame, Addr: D_CTLR, Count: 1, Stride: 4, Doc: "Control.", Fields: `,
		`{Name: "Mode", Mask: D_CTLR_Mode, Doc: "How; Mode.", Values: []bits.ValueInfo{{Name: "Fast", Value: 0x2}}},`,
		`{Name: "D_WORDS", Where: bits.InFrame, Addr: D_WORDS, Count: 4, Stride: 8, Doc: "Words."},`,
		`{Name: "E0", Where: bits.InMemory, Addr: 0, Count: 1, Stride: 8, Doc: "", Fields: []bits.FieldInfo{`,
		`{Name: "S_EL1", Where: bits.InSystem, Addr: uint64(S_EL1), Count: 1, Stride: 4, Doc: "System."},`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func generateText(t *testing.T, source string) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	text := "package p\n\nimport \"github.com/hwscript/hwscript/hardware/bits\"\n\nvar _ bits.Field\n\n" + source
	if strings.HasPrefix(source, "import") {
		text = "package p\n\n" + source
	}
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return generate(dir)
}
