package mmu_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/hwscript/hwscript/hardware/mmu"
)

// tables is memory that holds descriptors.
type tables map[uint64]uint64

// resolve walks to the end and counts the descriptors read.
func (m tables) resolve(t testing.TB, one, two *mmu.Stage, input uint64) (*mmu.Nested, int) {
	t.Helper()
	n, reads := &mmu.Nested{}, 0
	for n.Begin(one, two, input); n.Status == mmu.Reading; reads++ {
		if reads == 24 {
			t.Fatalf("0x%x: a walk of more than 24 descriptors", input)
		}
		n.Give(m[n.Descriptor()])
	}
	return n, reads
}

func stage(t testing.TB, f mmu.Format, granule, bits uint8, root uint64) *mmu.Stage {
	t.Helper()
	s, ok := mmu.Arm(f, granule, bits)
	if !ok {
		t.Fatalf("no stage of granule %d, %d bits", granule, bits)
	}
	s.Root, s.OutputBits = root, 44
	return &s
}

const (
	tableEntry = 3
	page       = 3 | 1<<10        // valid, access flag
	block      = 1 | 1<<10        // the same as a block
	unpriv     = 1 << 6           // stage 1: AP bit 1
	readOnly   = 1 << 7           // stage 1: AP bit 2
	s2read     = 1 << 6           // stage 2
	s2write    = 1 << 7           // stage 2
	readWrite  = s2read | s2write // stage 2
)

// The tables of QEMU's iommu test device: four levels of 4 KiB, constants of tests/qtest/libqos/qos-smmuv3.h.
func TestFourLevels(t *testing.T) {
	const iova, leaf = 0x8080604567, 0x0400_0000_0000_0763
	m := tables{
		0x10000 + 8*(iova>>39&511): 0x8000_0000_0001_1003,
		0x11000 + 8*(iova>>30&511): 0x8000_0000_0001_2003,
		0x12000 + 8*(iova>>21&511): 0x8000_0000_0001_3003,
		0x13000 + 8*(iova>>12&511): leaf | 0x5000_0000,
	}
	s := stage(t, mmu.ArmStage1, 12, 48, 0x10000)
	n, reads := m.resolve(t, s, nil, iova)
	if n.Status != mmu.Finished || n.Result.At(iova) != 0x5000_0567 || n.Result.Shift != 12 || reads != 4 {
		t.Errorf("%+v after %d reads", n, reads)
	}
	if n.Result.Perm&mmu.WritePrivileged == 0 {
		t.Errorf("permissions %s: expected a writable page", n.Result.Perm)
	}
	m[0x13000+8*(iova>>12&511)] = 0x0400_0000_0000_07e3 | 0x5000_0000
	if n, _ := m.resolve(t, s, nil, iova); n.Result.Perm&mmu.Writes != 0 || n.Result.Perm&mmu.ReadPrivileged == 0 {
		t.Errorf("permissions %s: expected a read-only page", n.Result.Perm)
	}
}

// Blocks and pages of each granule at each height, and what is no block there.
func TestHeights(t *testing.T) {
	for _, c := range []struct {
		granule, bits uint8
		height        int8
		shift         uint8 // of the leaf, 0 for a fault
	}{
		{12, 48, 0, 12}, {12, 48, 1, 21}, {12, 48, 2, 30}, {12, 48, 3, 0},
		{14, 48, 0, 14}, {14, 48, 1, 25}, {14, 48, 2, 0},
		{16, 48, 0, 16}, {16, 48, 1, 29}, {16, 48, 2, 0},
	} {
		t.Run(fmt.Sprintf("granule %d height %d", c.granule, c.height), func(t *testing.T) {
			s := stage(t, mmu.ArmStage1, c.granule, c.bits, 0)
			m := tables{}
			for h, at := s.Top, uint64(0); h > c.height; h-- {
				m[at] = at + 1<<c.granule | tableEntry
				at += 1 << c.granule
			}
			last := uint64(s.Top-c.height) << c.granule
			if m[last] = 1<<40 | block; c.height == 0 {
				m[last] = 1<<40 | page
			}
			n, _ := m.resolve(t, s, nil, 0x123)
			if c.shift == 0 {
				if n.Status != mmu.Faulted || n.Fault != mmu.Translation {
					t.Errorf("%v, %v: expected a translation fault", n.Status, n.Fault)
				}
				return
			}
			if n.Result.Shift != c.shift || n.Result.At(0x123) != 1<<40|0x123 {
				t.Errorf("%+v: expected a leaf of 2^%d bytes", n.Result, c.shift)
			}
			if c.height == 0 { // what is a block elsewhere is reserved here
				m[last] = 1<<40 | block
				if n, _ := m.resolve(t, s, nil, 0); n.Fault != mmu.Translation {
					t.Errorf("a block of height 0: %v", n.Fault)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry uint64
		want  mmu.Fault
	}{
		{"invalid", 0, mmu.Translation},
		{"access flag", 3, mmu.AccessFlag},
		{"output too large", 1<<44 | page, mmu.AddressSize},
		{"fits", 1<<43 | page, mmu.NoFault},
	} {
		s := stage(t, mmu.ArmStage1, 12, 39, 0x1000)
		m := tables{0x1000: 0x2000 | tableEntry, 0x2000: 0x3000 | tableEntry, 0x3000: c.entry}
		if n, _ := m.resolve(t, s, nil, 0); n.Fault != c.want {
			t.Errorf("%s: %v, expected %v", c.name, n.Fault, c.want)
		}
	}
	s := stage(t, mmu.ArmStage1, 12, 39, 0x1000)
	if n, reads := (tables{0x1000: 1<<44 | tableEntry}).resolve(t, s, nil, 0); n.Fault != mmu.AddressSize || reads != 1 {
		t.Errorf("table beyond the output size: %v after %d reads", n.Fault, reads)
	}
	s.Options.NoAccessFlag = true
	m := tables{0x1000: 0x2000 | tableEntry, 0x2000: 0x3000 | tableEntry, 0x3000: 3}
	if n, _ := m.resolve(t, s, nil, 0); n.Status != mmu.Finished {
		t.Errorf("without the access flag: %v", n.Fault)
	}
}

// DDI 0487, D8.4: permissions of a leaf, and of tables above it.
func TestPermissions(t *testing.T) {
	const xn, pxn = 1 << 54, 1 << 53
	for _, c := range []struct {
		name    string
		leaf    uint64
		table   uint64
		options mmu.Options
		want    string
	}{
		{name: "privileged", leaf: 0, want: "rwx/--x"},
		{name: "all", leaf: unpriv, want: "rw-/rwx"},
		{name: "read-only", leaf: readOnly, want: "r-x/--x"},
		{name: "read-only for all", leaf: readOnly | unpriv, want: "r-x/r-x"},
		{name: "never executed", leaf: readOnly | unpriv | xn | pxn, want: "r--/r--"},
		{name: "APTable 1", leaf: unpriv, table: 1 << 61, want: "rw-/--x"},
		{name: "APTable 2", leaf: unpriv, table: 1 << 62, want: "r--/r-x"},
		{
			name: "APTable without hierarchy", leaf: unpriv, table: 3 << 61, options: mmu.Options{NoHierarchy: true},
			want: "rw-/rwx",
		},
		{name: "XNTable", leaf: readOnly | unpriv, table: 1 << 60, want: "r-x/r--"},
		{name: "PXNTable", leaf: readOnly | unpriv, table: 1 << 59, want: "r--/r-x"},
		{name: "WXN", leaf: unpriv, options: mmu.Options{NeverExecute: true}, want: "rw-/rw-"},
		{name: "PAN", leaf: unpriv, options: mmu.Options{PrivilegedOff: true}, want: "---/rwx"},
		{name: "one privilege", leaf: readOnly, options: mmu.Options{OnePrivilege: true}, want: "r-x/r-x"},
		{name: "one privilege, XN", leaf: xn, options: mmu.Options{OnePrivilege: true}, want: "rw-/rw-"},
	} {
		s := stage(t, mmu.ArmStage1, 12, 30, 0x1000)
		s.Options = c.options
		n, _ := tables{0x1000: 0x2000 | tableEntry | c.table, 0x2000: page | c.leaf}.resolve(t, s, nil, 0)
		if got := n.Result.Perm.String(); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
	}
}

// The granules of the two stages need not be the same: the smaller range counts, and what both permit.
func TestNested(t *testing.T) {
	one := stage(t, mmu.ArmStage1, 12, 39, 0x4000_0000)
	two := stage(t, mmu.ArmStage2, 16, 42, 0x10_0000)
	m := tables{}
	// Stage 2 maps IPA 0x4000_0000 to 0x8000_0000 by pages of 64 KiB, and 0x6000_0000 by a block of 512 MiB.
	m[0x10_0000+8*(0x4000_0000>>29)] = 0x20_0000 | tableEntry
	m[0x20_0000] = 0x8000_0000 | page | s2read
	m[0x10_0000+8*(0x6000_0000>>29)] = 0x1_0000_0000&^(1<<29-1) | block | s2read
	// Stage 1, at its physical addresses.
	m[0x8000_0000] = 0x4000_1000 | tableEntry
	m[0x8000_1000] = 0x4000_2000 | tableEntry
	m[0x8000_2000] = 0x6000_5000 | page | unpriv
	n, reads := m.resolve(t, one, two, 0xabc)
	if n.Status != mmu.Finished {
		t.Fatalf("%+v", n)
	}
	if n.Result.At(0xabc) != 0x1_0000_5abc || n.Result.Shift != 12 || n.Result.IPA != 0x6000_5000 {
		t.Errorf("%+v", n.Result)
	}
	if got := n.Result.Perm.String(); got != "r--/r-x" {
		t.Errorf("permissions %s", got)
	}
	if reads != 3+3*2+1 {
		t.Errorf("%d descriptors read", reads)
	}
	m[0x20_0000] = 0x8000_0000 | page | s2write
	if n, _ := m.resolve(t, one, two, 0); n.Fault != mmu.Permission || !n.Second || n.Purpose != mmu.ForDescriptor {
		t.Errorf("unreadable descriptors of stage 1: %+v", n)
	}
	delete(m, 0x10_0000+8*(0x6000_0000>>29))
	m[0x20_0000] = 0x8000_0000 | page | s2read
	if n, _ := m.resolve(t, one, two, 0); n.Fault != mmu.Translation || !n.Second || n.Purpose != mmu.ForInput ||
		n.IPA != 0x6000_5000 {
		t.Errorf("unmapped output of stage 1: %+v", n)
	}
	m[0x8000_2000] = 1<<42 | page
	if n, _ := m.resolve(t, one, two, 0); n.Fault != mmu.Translation || !n.Second {
		t.Errorf("an IPA of too many bits: %+v", n)
	}
}

// Up to 16 tables of the first level stand side by side.
func TestConcatenated(t *testing.T) {
	s, ok := mmu.ArmConcatenated(12, 43, 1)
	if !ok || s.Top != 2 {
		t.Fatalf("43 bits from level 1: %v, %+v", ok, s)
	}
	s.Root, s.OutputBits = 0x10000, 48
	m := tables{0x10000 + 8*(1<<13-1): 0x4000_0000 | block | readWrite}
	if n, reads := m.resolve(t, nil, &s, 1<<43-1); n.Status != mmu.Finished || reads != 1 || n.Result.Shift != 30 {
		t.Errorf("%+v", n)
	}
	for _, c := range []struct {
		granule, bits uint8
		level         int8
		ok            bool
	}{
		{12, 44, 1, false}, {12, 39, 1, true}, {12, 30, 1, false}, {12, 34, 2, true}, {12, 35, 2, false}, {12, 30, 3, false},
		{16, 42, 2, true}, {16, 46, 2, true}, {16, 47, 2, false}, {14, 40, 2, true}, {15, 40, 2, false}, {12, 40, -1, false},
		{12, 60, 0, false}, {12, 40, 4, false},
	} {
		if _, ok := mmu.ArmConcatenated(c.granule, c.bits, c.level); ok != c.ok {
			t.Errorf("granule %d, %d bits, level %d: %v", c.granule, c.bits, c.level, ok)
		}
	}
}

// plain translates by arithmetic over the whole path, written without the machine of walk.go: stage 1 with 4 KiB, 39
// bits.
func plain(m tables, root, input uint64) (out uint64, ok bool) {
	at := root
	for level := 1; ; level++ {
		low := uint(12 + 9*(3-level))
		d := m[at|input>>low<<3&0xff8]
		next := d & 0xffff_ffff_f000
		switch {
		case d&1 == 0, d&2 == 0 && level == 3, next>>44 != 0:
			return 0, false
		case d&2 != 0 && level < 3:
			at = next
			continue
		case d&(1<<10) == 0:
			return 0, false
		}
		mask := uint64(1)<<low - 1
		return next&^mask | input&mask, true
	}
}

// Random tables, many of them wrong, against that.
func TestAgainstPlain(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	s := stage(t, mmu.ArmStage1, 12, 39, 0)
	found := 0
	for range 20000 {
		m := tables{}
		for at := range uint64(8) {
			for range 3 {
				entry := rng.Uint64()&7<<12 | rng.Uint64()&3 | rng.Uint64()&1<<10
				if rng.Intn(20) == 0 {
					entry |= 1 << 44
				}
				m[at<<12|rng.Uint64()&1<<3] = entry
			}
		}
		input := rng.Uint64() & (1<<30 | 1<<21 | 1<<12 | 0xfff)
		want, ok := plain(m, 0, input)
		n, _ := m.resolve(t, s, nil, input)
		if ok != (n.Status == mmu.Finished) || ok && n.Result.At(input) != want {
			t.Fatalf("0x%x in %x: %+v, expected 0x%x %v", input, m, n, want, ok)
		}
		if ok {
			found++
		}
	}
	if found < 100 {
		t.Errorf("%d translations: the tables are too wrong to show anything", found)
	}
}

func FuzzNested(f *testing.F) {
	f.Add(uint64(1), uint64(0x1234), uint8(12), uint8(16), uint8(39), uint8(42))
	f.Fuzz(func(t *testing.T, seed, input uint64, granule1, granule2, bits1, bits2 uint8) {
		one, ok := mmu.Arm(mmu.ArmStage1, granule1, bits1)
		if !ok {
			return
		}
		two, ok := mmu.Arm(mmu.ArmStage2, granule2, bits2)
		if !ok {
			return
		}
		one.OutputBits, two.OutputBits = 40, 48
		one.Root, two.Root = seed&0xffff_f000, seed>>16&0xffff_f000
		n, reads := &mmu.Nested{}, 0
		for n.Begin(&one, &two, input&(1<<bits1-1)); n.Status == mmu.Reading; reads++ {
			seed = seed*6364136223846793005 + n.Descriptor() | 1
			if n.Give(seed); reads > 24 {
				t.Fatal("an endless walk")
			}
		}
		if n.Status == mmu.Finished && n.Result.Output>>48 != 0 {
			t.Errorf("output 0x%x", n.Result.Output)
		}
	})
}

func BenchmarkNested(b *testing.B) {
	one := stage(b, mmu.ArmStage1, 12, 48, 0)
	two := stage(b, mmu.ArmStage2, 12, 40, 0)
	n := &mmu.Nested{}
	b.ReportAllocs()
	for b.Loop() {
		for n.Begin(one, two, 0); n.Status == mmu.Reading; {
			if n.Give(0x1000 | tableEntry); n.Status == mmu.Reading && n.Height() == 0 {
				n.Give(page | readWrite)
			}
		}
	}
}
