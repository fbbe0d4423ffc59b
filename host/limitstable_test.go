package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/hwscript/hwscript/host"
)

// TestLimitsTable prints how far each hostile script gets beyond a limit. It asserts nothing, since times and memory
// are the machine's:
//
//	HWSCRIPT_LIMITS=1 go test -run TestLimitsTable -v ./host
//
// Each runs under a deadline and a limit of memory, alone. The columns are its name, the ms beyond the deadline (- if
// it ended before), the MiB beyond the limit of memory, and how it ended.
func TestLimitsTable(t *testing.T) {
	if os.Getenv("HWSCRIPT_LIMITS") == "" {
		t.Skip("HWSCRIPT_LIMITS is not set")
	}
	const deadline, memory = 100 * time.Millisecond, 64 << 20
	paths, err := filepath.Glob("testdata/hostile/*.lua")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	fmt.Printf("%-32s %9s %9s  %s\n", "input", "ms over", "MiB over", "outcome")
	for _, path := range paths {
		c := readHostile(t, path)
		runtime.GC()
		stop, peak := make(chan bool), make(chan int64)
		go watchMemory(stop, peak)
		outcome, took := c.run(t, host.Limits{Memory: memory}, deadline)
		stop <- true
		late := "-"
		if took > deadline {
			late = fmt.Sprintf("%.1f", ms(took-deadline))
		}
		over := max(0, float64(<-peak-memory)/(1<<20))
		fmt.Printf("%-32s %9s %9.1f  %.90s\n", strings.TrimSuffix(c.name, ".lua"), late, over, outcome)
	}
}

// watchMemory sends the most that heap and stacks have held when it is stopped.
func watchMemory(stop <-chan bool, peak chan<- int64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
	}
	most := int64(0)
	for {
		metrics.Read(samples)
		most = max(most, int64(samples[0].Value.Uint64()+samples[1].Value.Uint64()))
		select {
		case <-stop:
			peak <- most
			return
		case <-time.After(500 * time.Microsecond):
		}
	}
}
