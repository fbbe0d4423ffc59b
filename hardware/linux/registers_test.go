package linux_test

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/gic"
)

// registerAccesses keeps the accesses to registers of a trace, and the barriers between them, without their times. The
// same value to one register after another of an array, and repeated reads, are one line.
func registerAccesses(trace string) string {
	var lines []registerAccess
	for l := range strings.Lines(trace) {
		_, l, _ = strings.Cut(strings.TrimSpace(l), "  ")
		source, what, _ := strings.Cut(l, "  ")
		a, ok := parseAccess(source, what)
		if !ok {
			continue
		}
		if n := len(lines); n > 0 && lines[n-1].joins(a) {
			lines[n-1].last = a.first
			lines[n-1].count++
			continue
		}
		lines = append(lines, a)
	}
	var out strings.Builder
	for _, a := range lines {
		fmt.Fprintf(&out, "%s\n", a)
	}
	return out.String()
}

// A registerAccess is a line of the list.
type registerAccess struct {
	verb        string // "write", "read", "msr", "mrs"; all of the line for a barrier
	frame       string // GICR3
	first, last string // GICD_IROUTER32, GICD_IROUTER255
	value       string // "<- 0x1"
	count       int
}

// parseAccess reads what a CPU's trace says of one step.
func parseAccess(source, what string) (registerAccess, bool) {
	verb, rest, _ := strings.Cut(what, " ")
	a := registerAccess{verb: verb, count: 1}
	switch verb {
	case "isb":
		return a, true
	case "dsb":
		a.verb, _, _ = strings.Cut(what, ",")
		return a, true
	case "mrs", "msr":
		var arrow, value string
		fmt.Sscan(rest, &a.first, &arrow, &value)
		a.value = arrow + " " + value
		return a, true
	case "write", "read":
		var place, arrow, value string
		fmt.Sscan(rest, &place, &arrow, &value)
		var off uint64
		frame, offset, _ := strings.Cut(place, "+")
		fmt.Sscanf(offset, "0x%x", &off)
		name, ok := gic.Registers.At(strings.TrimRight(frame, "0123456789"), off)
		if !ok {
			name = offset
		}
		a.frame, a.first, a.value = frame, name, arrow+" "+strings.TrimSuffix(value, ",")
		return a, strings.HasPrefix(source, "CPU")
	}
	return a, false
}

// joins reports whether b continues the line a.
func (a registerAccess) joins(b registerAccess) bool {
	array := func(name string) string { return strings.TrimRight(name, "0123456789") }
	same := a.verb == b.verb && a.frame == b.frame && a.value == b.value
	return same && a.frame != "" && array(a.first) == array(b.first)
}

func (a registerAccess) String() string {
	name := a.first
	if a.last != "" && a.last != a.first {
		name += " to " + a.last
	}
	if a.frame != "" && a.frame != "GICD" {
		name = a.frame + " " + name
	}
	text := strings.TrimSpace(fmt.Sprintf("%-5s %s %s", a.verb, name, a.value))
	if a.count > 1 {
		text += fmt.Sprintf("  (%d times)", a.count)
	}
	return text
}
