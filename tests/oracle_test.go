package tests

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
)

// The traces under testdata/oracle were recorded operation by operation on another implementation of the same devices,
// QEMU 7.2's virt machine with 4 CPUs. The head of each file has the whole command.

// oracleFolder names a folder with further traces. Those called *-ns.trace were recorded with two security states, by
// Non-secure software.
const oracleFolder = "HWSCRIPT_ORACLE"

// oracleExpected are the masked lines of the committed traces: trace, section, register, count. A mask that comes to be
// used elsewhere, or more or less often, changes this table and has to be explained.
var oracleExpected = []string{
	"gic-cpuif.trace | system registers: reset, all ones, zero | ICC_PMR_EL1 | 3",
	"gic-cpuif.trace | system registers: reset, all ones, zero | ICC_BPR0_EL1, ICC_BPR1_EL1 | 2",
	"gicd-gicr.trace | GICD affinity routing on, SPI banks | GICD, INTIDs 256 to 287 | 26",
	"gicd-gicr.trace | GICD affinity routing on, SPI banks | GICD_IROUTER | 10",
	"gicd-gicr.trace | GICR of cpu 0, RD_base | GICR_PROPBASER, GICR_PENDBASER | 5",
	"gicd-gicr.trace | GICR of cpu 0, RD_base | GICR_PROPBASER | 3",
	"gicd-gicr.trace | GICR of cpu 0, RD_base | GICR_PENDBASER | 4",
	"its.trace | ITS registers | GITS_CBASER, GITS_CWRITER, GITS_CREADR | 9",
	"its.trace | mapping, interrupts, moves | tables of devices and collections | 3",
	"its.trace | queue: wrap, size, bad write pointers, disable | GITS_CBASER, GITS_CWRITER, GITS_CREADR | 1",
	"its.trace | queue: wrap, size, bad write pointers, disable | GITS_CREADR | 1",
}

// The securities that a trace may be replayed with. Whether firmware had prepared the recorded machine for Non-secure
// software a trace does not say, so that the sections of a *-ns.trace are tried with both.
var (
	oneSecurityState  = []oracleSecurity{{name: "one security state", ds: true}}
	twoSecurityStates = []oracleSecurity{{name: "as firmware leaves it", nonSecureReset: true}, {name: "as at power-on"}}
)

// oracleTally counts what became of the comparisons of one section.
type oracleTally struct {
	security  string
	matched   int
	masked    map[*oracleMask]int
	different []string
}

// oracleShown is the number of differences of a section that are printed.
const oracleShown = 10

func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.trace")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no traces: %v", err)
	}
	var rows []string
	for _, file := range files {
		rows = append(rows, replayFile(t, file)...)
	}
	if !slices.Equal(rows, oracleExpected) {
		t.Errorf("masked lines differ from oracleExpected; found:\n\t%s", strings.Join(rows, "\n\t"))
	}
}

func TestOracleFolder(t *testing.T) {
	folder := os.Getenv(oracleFolder)
	if folder == "" {
		t.Skipf("%s is not set", oracleFolder)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.trace"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s=%s: found no *.trace files: %v", oracleFolder, folder, err)
	}
	for _, file := range files {
		replayFile(t, file)
	}
}

// replayFile replays the sections of a trace that the target can run, and returns a row for each mask used.
func replayFile(t *testing.T, file string) []string {
	base := filepath.Base(file)
	var rows []string
	t.Run(base, func(t *testing.T) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sections, err := parseTrace(f)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		securities := oneSecurityState
		if strings.HasSuffix(base, "-ns.trace") {
			securities = twoSecurityStates
		}
		for i := range sections {
			rows = append(rows, replaySection(t, securities, base, &sections[i])...)
		}
	})
	return rows
}

// replaySection replays one section and reports it, with the security that explains most.
func replaySection(t *testing.T, securities []oracleSecurity, file string, s *traceSection) []string {
	var rows []string
	t.Run(s.name, func(t *testing.T) {
		if why := outOfReach(s); why != "" {
			t.Skip(why)
		}
		var best *oracleTally
		for _, security := range securities {
			tally := &oracleTally{security: security.name, masked: map[*oracleMask]int{}}
			target := newMachineTarget(t, security)
			for i := range s.ops {
				tally.replay(target, &s.ops[i])
			}
			if best == nil || len(tally.different) < len(best.different) {
				best = tally
			}
		}
		rows = best.report(t, file, s.name)
	})
	return rows
}

// report prints the counts, the masks with their reasons and the first differences, and returns a row for each mask.
func (y *oracleTally) report(t *testing.T, file, section string) []string {
	var rows []string
	masked := 0
	for i := range gicMasks {
		m := &gicMasks[i]
		if n := y.masked[m]; n > 0 {
			masked += n
			t.Logf("masked %d: %s: %s", n, m.register, m.reason)
			rows = append(rows, fmt.Sprintf("%s | %s | %s | %d", file, section, m.register, n))
		}
	}
	t.Logf("%s: matched %d, masked %d, different %d", y.security, y.matched, masked, len(y.different))
	for i, d := range y.different {
		if i == oracleShown {
			t.Errorf("and %d more", len(y.different)-i)
			break
		}
		t.Errorf("%s:%s", file, d)
	}
	return rows
}

// outOfReach names the device that a section needs and the target lacks.
func outOfReach(s *traceSection) string {
	switch {
	case s.touches(oracleSMMU, oracleSMMU+0x2_0000):
		return "needs the SMMU"
	}
	for _, op := range s.ops {
		if op.kind == "dma" {
			return "needs a device that reads and writes memory"
		}
	}
	return ""
}

// replay performs one operation and compares the answer, if it has one.
func (y *oracleTally) replay(t oracleTarget, op *traceOp) {
	switch op.kind {
	case "reset":
		t.reset()
	case "zero":
		t.writeMemory(op.addr, make([]byte, op.value))
	case "wmem":
		t.writeMemory(op.addr, op.bytes)
	case "rmem":
		y.compareMemory(op, t.readMemory(op.addr, op.value))
	case "w":
		t.write(op.addr, bus.Width(op.width), op.value)
	case "r":
		y.compare(t, op, t.read(op.addr, bus.Width(op.width)))
	case "msi":
		t.message(uint32(op.sid), op.addr, uint32(op.value))
	case "line":
		t.setLine(op.addr, op.value != 0)
	case "irq":
		id, level, ok := t.lineChange()
		y.note(ok && id == op.addr && level == (op.value != 0), op, fmt.Sprintf("%x %v %v", id, level, ok))
	case "sysw":
		ok := t.writeSys(op.cpu, op.reg, op.value)
		y.note(ok == !op.undef, op, "undef "+fmt.Sprint(!ok))
	case "sysr":
		v, ok := t.readSys(op.cpu, op.reg)
		if ok == op.undef {
			y.note(false, op, "undef "+fmt.Sprint(!ok))
			return
		}
		y.compare(t, op, v)
	default:
		panic("operation " + op.kind + " in a section that was not skipped")
	}
}

// compareMemory is compare for memory.
func (y *oracleTally) compareMemory(op *traceOp, ours []byte) {
	if bytes.Equal(ours, op.bytes) {
		y.note(true, op, "")
		return
	}
	for i := range gicMasks {
		if m := &gicMasks[i]; m.memory != nil && m.memory(op) {
			y.masked[m]++
			return
		}
	}
	y.note(false, op, hex.EncodeToString(ours))
}

// compare holds our value against the recorded one, then against the masks.
func (y *oracleTally) compare(t oracleTarget, op *traceOp, ours uint64) {
	if ours != op.value {
		for i := range gicMasks {
			if m := &gicMasks[i]; m.excuses != nil && m.excuses(t, op, ours) {
				y.masked[m]++
				return
			}
		}
	}
	y.note(ours == op.value, op, fmt.Sprintf("%x", ours))
}

func (y *oracleTally) note(same bool, op *traceOp, ours string) {
	if same {
		y.matched++
		return
	}
	y.different = append(y.different, fmt.Sprintf("%d: %s: ours %s", op.line, op.text, ours))
}
