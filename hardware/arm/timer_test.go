package arm_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// timerLines tells of the lines of a PE's timers.
type timerLines struct {
	changed func(name string, level bool)
	written bool // by the program, just now
}

// timerLine is one of them.
type timerLine struct {
	lines *timerLines
	name  string
}

func (l *timerLine) SetLine(level bool) {
	if l.lines.changed != nil {
		l.lines.changed(l.name, level)
	}
}

// lineTime is when a line changes: now for the program that writes, which may have run ahead, else in an event.
func (b *bench) lineTime() sim.Time {
	if b.timers.written {
		return b.pe.Now()
	}
	return b.engine.Now()
}

// writeTimer is MSR to a timer's register.
func (b *bench) writeTimer(r bits.SysReg, v uint64) {
	b.pe.Boundary() // what is due comes before
	b.timers.written = true
	b.write(r, v)
	b.timers.written = false
}

// TestTimerTranscript plays testdata/timer.txt on one PE and compares every byte. HWSCRIPT_UPDATE=1 rewrites the file:
// read the difference, and say in the commit why it changed.
//
//	run               a program of the steps below
//	  until 100       work until 100 ns
//	  msr REG VALUE   a write
//	  mrs REG         a read, shown with its fields
func TestTimerTranscript(t *testing.T) {
	const file = "testdata/timer.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, defaultSpec())
	var out strings.Builder
	note := func(at sim.Time, format string, args ...any) {
		fmt.Fprintf(&out, "%8s  %s\n", at.Nanoseconds(), fmt.Sprintf(format, args...))
	}
	b.timers.changed = func(name string, level bool) {
		note(b.lineTime(), "%s line %s", name, map[bool]string{false: "low", true: "high"}[level])
	}
	var got []string
	for _, block := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n\n") {
		head, _, isCommand := strings.Cut(block, "\n----")
		if !isCommand {
			got = append(got, block)
			continue
		}
		out.Reset()
		steps := strings.Split(head, "\n")[1:]
		b.run(func() {
			for _, s := range steps {
				timerStep(b, strings.Fields(s), note)
			}
		})
		got = append(got, head+"\n----\n"+strings.TrimSuffix(out.String(), "\n"))
	}
	result := strings.Join(got, "\n\n") + "\n"
	if result == string(text) {
		return
	}
	if os.Getenv("HWSCRIPT_UPDATE") == "" {
		t.Fatalf("%s differs; got\n%s", file, result)
	}
	if err := os.WriteFile(file, []byte(result), 0o644); err != nil {
		t.Fatal(err)
	}
}

// timerStep makes one step of a program.
func timerStep(b *bench, words []string, note func(at sim.Time, format string, args ...any)) {
	b.Helper()
	if words[0] == "until" {
		ns, err := strconv.Atoi(words[1])
		if err != nil {
			b.Fatal(err)
		}
		b.pe.Delay(sim.Time(ns)*sim.Nanosecond - b.pe.Now())
		b.pe.Boundary()
		return
	}
	r, ok := a64.Registers.Lookup(words[1])
	if !ok {
		b.Fatalf("no register %s", words[1])
	}
	reg := bits.SysReg(r.Addr)
	if words[0] == "msr" {
		v, err := strconv.ParseUint(words[2], 0, 64)
		if err != nil {
			b.Fatal(err)
		}
		note(b.pe.Now(), "msr %s <- 0x%x", words[1], v)
		b.writeTimer(reg, v)
		return
	}
	v := b.read(reg)
	_, fields := arm.DecodeSysReg(reg, v)
	note(b.pe.Now(), "%s", strings.TrimSpace(fmt.Sprintf("mrs %s -> 0x%x %s", words[1], v, fields)))
}

// plainTimer is the manual's words in code: DDI 0487, D12.2.4, looked at whenever the counter may have moved.
type plainTimer struct {
	enable, imask bool
	compare       uint64
}

func (p *plainTimer) write(r bits.SysReg, v, counter uint64) {
	switch r {
	case a64.CNTV_CTL_EL0:
		p.enable, p.imask = v&1 != 0, v&2 != 0
	case a64.CNTV_CVAL_EL0:
		p.compare = v
	case a64.CNTV_TVAL_EL0:
		p.compare = counter + uint64(int64(v<<32)>>32)
	}
}

func (p *plainTimer) status(counter uint64) bool { return p.enable && counter >= p.compare }

// TestTimerProperty holds the timer's line and registers against the plain timer, for random programs.
func TestTimerProperty(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		type op struct {
			at  sim.Time
			reg bits.SysReg
			v   uint64
		}
		var ops []op
		at := sim.Time(0)
		for range 40 {
			at += sim.Time(r.IntN(12)) * 5 * ns
			counter := uint64(at / (10 * ns))
			o := op{at, a64.CNTV_CTL_EL0, []uint64{0, 1, 1, 1, 2, 3}[r.IntN(6)]}
			switch r.IntN(3) {
			case 1:
				o.reg, o.v = a64.CNTV_CVAL_EL0, counter+r.Uint64N(12)-4
			case 2:
				o.reg, o.v = a64.CNTV_TVAL_EL0, uint64(uint32(r.IntN(12)-4))
			}
			ops = append(ops, o)
		}
		end := at + 200*ns

		// What the plain timer does, at every half tick of the counter.
		var want []string
		plain, level, next := plainTimer{}, false, 0
		look := func(at sim.Time) {
			if high := plain.status(uint64(at/(10*ns))) && !plain.imask; high != level {
				level = high
				want = append(want, fmt.Sprintf("%s: %t", at, high))
			}
		}
		for at := sim.Time(0); at < end; at += 5 * ns {
			look(at)
			for ; next < len(ops) && ops[next].at == at; next++ {
				plain.write(ops[next].reg, ops[next].v, uint64(at/(10*ns)))
				look(at)
				want = append(want, fmt.Sprintf("%s: status %t", at, plain.status(uint64(at/(10*ns)))))
			}
		}

		b := newBench(t, defaultSpec())
		var got []string
		b.timers.changed = func(name string, level bool) {
			if name != "CNTV" {
				t.Errorf("seed %d: line of %s", seed, name)
			}
			got = append(got, fmt.Sprintf("%s: %t", b.lineTime(), level))
		}
		b.run(func() {
			for _, o := range ops {
				b.pe.Delay(o.at - b.pe.Now())
				b.writeTimer(o.reg, o.v)
				status := a64.CNTV_CTL_EL0_ISTATUS.Is(b.read(a64.CNTV_CTL_EL0))
				got = append(got, fmt.Sprintf("%s: status %t", o.at, status))
			}
			b.pe.Delay(end - b.pe.Now())
		})
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n got %v\nwant %v", seed, got, want)
		}
	}
}
