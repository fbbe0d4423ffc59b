package gicv3_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The transcripts are testdata/*.txt: comments, a command, "----", all that can be seen of its effects, a blank line.
//
// HWSCRIPT_UPDATE=1 go test rewrites them. Commit such a change only when you understand what caused each line of
// it, and say so in the commit.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replayTranscript(t, string(want))
			if got == string(want) {
				return
			}
			if os.Getenv("HWSCRIPT_UPDATE") == "1" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s differs from\n%s", file, got)
		})
	}
}

// replayTranscript runs the commands of a transcript and returns it with the outputs that they have now.
func replayTranscript(t *testing.T, text string) string {
	var out strings.Builder
	s := transcript{}
	inOutput := false
	for line := range strings.Lines(text) {
		switch command := strings.TrimSpace(line); {
		case inOutput:
			inOutput = command != ""
			if !inOutput {
				out.WriteString("\n")
			}
		case command == "----":
			inOutput = true
		case command == "" || command[0] == '#':
			out.WriteString(line)
		default:
			out.WriteString(line + "----\n" + s.execute(t, strings.Fields(command)))
		}
	}
	return out.String()
}

// transcript is the interpreter's state.
type transcript struct {
	*testbed
	log strings.Builder
}

// Trace implements sim.Tracer: everything that is seen goes into the log, with its time.
func (s *transcript) Trace(at sim.Time, source, what string) {
	fmt.Fprintf(&s.log, "%12s ns  %-5s %s\n", at.Nanoseconds(), source, what)
}

// WakeRequest implements gicv3.Waker.
func (s *transcript) WakeRequest(cpu int, wanted bool) {
	s.Trace(s.eng.Now(), named("CPU", cpu), fmt.Sprintf("wake request %v", wanted))
}

func named(what string, n int) string { return what + strconv.Itoa(n) }

// loggedPort writes the changes of a PE's inputs into the log.
type loggedPort struct {
	s   *transcript
	cpu int
}

func (p loggedPort) SetIRQ(level bool) {
	p.s.Trace(p.s.eng.Now(), named("CPU", p.cpu), fmt.Sprintf("irq=%d", number(level)))
}
func (p loggedPort) SetFIQ(level bool) {
	p.s.Trace(p.s.eng.Now(), named("CPU", p.cpu), fmt.Sprintf("fiq=%d", number(level)))
}
func (p loggedPort) Now() sim.Time { return p.s.eng.Now() }

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// execute runs one command:
//
//	gic cpus=2 No1N=false DS=false NonSecureReset=true RWPDelay=200
//	                          builds a GIC; DefaultSpec is what is not named; delays in ns
//	boot | boot EOImode=1     what Linux does, then everything enabled with priority 0xa0
//	GICD_CTLR 0x13            writes a register of the distributor; without a value, reads it
//	1 GICR_WAKER 0            of the redistributor of CPU 1
//	1 ICC_PMR_EL1 0xf0        of the CPU interface of CPU 1
//	priority SGI1 0x80        GICR_IPRIORITYR of all CPUs, or GICD_IPRIORITYR for SPI40
//	line SPI40 1              drives a wire
//	line 1 PPI20 1
//	run 100                   lets 100 ns pass; without a number, all that is under way arrive
//	power 1 off               switches a redistributor
//	dump GICD | dump GICR 1 | dump CPU 1 | stats 1
func (s *transcript) execute(t *testing.T, words []string) string {
	s.log.Reset()
	cpu, err := strconv.Atoi(words[0])
	if err == nil {
		words = words[1:]
	}
	switch words[0] {
	case "gic":
		s.build(t, words[1:])
	case "boot":
		s.boot(slices.Contains(words, "EOImode=1"))
	case "priority":
		s.priority(words[1], parse(t, words[2]))
	case "line":
		s.line(t, words[1:])
	case "run":
		s.run(t, words[1:])
	case "power":
		s.gic.SetPower(int(parse(t, words[1])), words[2] == "on")
	case "dump":
		s.dump(t, words[1:])
	case "stats":
		fmt.Fprintf(&s.log, "%+v\n", s.gic.Stats(int(parse(t, words[1]))))
	default:
		s.register(t, cpu, words)
	}
	if s.log.Len() == 0 {
		return "ok\n"
	}
	return s.log.String()
}

func parse(t *testing.T, word string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(word, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s *transcript) build(t *testing.T, words []string) {
	spec := gicv3.DefaultSpec(1, redistBase)
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "cpus":
			n := int(parse(t, value))
			spec.MPIDRs = gicv3.DefaultSpec(n, redistBase).MPIDRs
			spec.Regions[0].Count = n
		case "RWPDelay":
			spec.RWPDelay = sim.Time(parse(t, value)) * sim.Nanosecond
		case "DS":
			spec.DS = value == "true"
		case "NonSecureReset":
			spec.NonSecureReset = value == "true"
		case "No1N":
			spec.No1N = value == "true"
		case "MBIS":
			spec.MBIS = value == "true"
		default:
			t.Fatalf("unknown option %s", key)
		}
	}
	s.testbed = &testbed{TB: t, eng: sim.NewEngine(), spec: spec, ports: make([]*port, len(spec.MPIDRs))}
	var ports []gicv3.CPUPort
	for i := range spec.MPIDRs {
		ports = append(ports, loggedPort{s, i})
	}
	var err error
	if s.gic, err = gicv3.New(spec, s.eng, wires(sgiLatency), ports); err != nil {
		t.Fatal(err)
	}
	s.gic.SetWaker(s)
	s.eng.Attach(sim.TextTracer(s.Trace))
}

// interrupt parses "SPI40" to 40.
func (s *transcript) interrupt(word string) uint64 {
	return parse(s.TB.(*testing.T), strings.TrimLeft(word, "SGPI"))
}

func (s *transcript) priority(word string, v uint64) {
	id := s.interrupt(word)
	if id >= 32 {
		s.gic.Distributor().WriteReg(gic.GICD_IPRIORITYR+id, bus.W8, v)
		return
	}
	for cpu := range s.ports {
		s.gic.Redistributor(cpu).WriteReg(gic.GICR_IPRIORITYR+id, bus.W8, v)
	}
}

func (s *transcript) line(t *testing.T, words []string) {
	id := s.interrupt(words[len(words)-2])
	line, err := s.gic.SPI(gic.INTID(id))
	if len(words) == 3 {
		line, err = s.gic.PPI(int(parse(t, words[0])), gic.INTID(id))
	}
	if err != nil {
		t.Fatal(err)
	}
	line.SetLine(words[len(words)-1] == "1")
}

// run drives the engine. A mark at the end of the time stops it there.
func (s *transcript) run(t *testing.T, words []string) {
	if len(words) == 1 {
		m := &mark{eng: s.eng}
		s.eng.Register(&m.Channel, "mark")
		s.eng.Post(&m.Channel, s.eng.Now()+sim.Time(parse(t, words[0]))*sim.Nanosecond, m, 0)
		if err := s.eng.Drive(nil); err != sim.ErrStopped {
			t.Fatal(err)
		}
		return
	}
	s.drive()
}

type mark struct {
	sim.Channel
	eng *sim.Engine
}

func (m *mark) Fire(sim.Time, uint64) { m.eng.Fail(sim.ErrStopped) }

func (s *transcript) dump(t *testing.T, words []string) {
	switch words[0] {
	case "GICD":
		s.gic.Distributor().Dump(&s.log)
	case "GICR":
		s.gic.Redistributor(int(parse(t, words[1]))).Dump(&s.log)
	case "CPU":
		s.gic.CPUInterface(int(parse(t, words[1]))).Dump(&s.log)
	}
}

// register accesses a register by its name; one of 64 bits as a whole.
func (s *transcript) register(t *testing.T, cpu int, words []string) {
	r, ok := gic.Registers.Lookup(words[0])
	if !ok {
		t.Fatalf("unknown register or command %s", words[0])
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(words[0], r.Name))
	off := r.Addr + uint64(n*r.Stride)
	width := bus.W32
	if r.Stride == 8 {
		width = bus.W64
	}
	frame := bus.Device(s.gic.Distributor())
	if strings.HasPrefix(words[0], "GICR") {
		frame = s.gic.Redistributor(cpu)
	}
	var v uint64
	switch {
	case r.Where == bits.InSystem && len(words) == 2:
		ok = s.gic.CPUInterface(cpu).WriteSys(bits.SysReg(r.Addr), parse(t, words[1]))
	case r.Where == bits.InSystem:
		v, ok = s.gic.CPUInterface(cpu).ReadSys(bits.SysReg(r.Addr))
	case len(words) == 2:
		ok = frame.WriteReg(off, width, parse(t, words[1]))
	default:
		v, ok = frame.ReadReg(off, width)
	}
	switch fields, _ := gic.Registers.Decode(words[0], v); {
	case !ok:
		fmt.Fprintln(&s.log, "no such register")
	case len(words) == 1:
		fmt.Fprintln(&s.log, strings.TrimRight(fmt.Sprintf("%s  %s", bits.Hex(v), fields), " "))
	}
}
