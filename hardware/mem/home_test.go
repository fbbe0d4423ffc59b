package mem

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/sim"
)

// home is a bench whose line was allocated on a node; a home takes 7 ns for a request.
func newHome(t *testing.T, cpus, node int) *bench {
	b := &bench{t: t}
	s := testSpec(cpus)
	s.Latency = busyHomes()
	b.Memory = newTestMemory(t, s, func(c int, at sim.Time) { b.woke = append(b.woke, fmt.Sprintf("CPU%d at %s", c, at)) })
	addr, err := b.AllocOn(LineSize, node)
	if err != nil {
		t.Fatal(err)
	}
	b.addr = addr
	return b
}

// TestWays: a transfer is the hand-off on the die and its legs, each by way of the home. Four CPUs a die, two dies a
// socket; a leg between dies is 25 ns, one between sockets 80 ns.
func TestWays(t *testing.T) {
	for _, k := range []struct {
		node, holder, reader int
		want                 sim.Time
		distance             Distance
	}{
		{0, 0, 1, 20 * ns, Cluster}, {0, 0, 2, 40 * ns, Die}, // at home
		{1, 0, 1, 20*ns + 2*25*ns, Cluster}, {2, 0, 2, 40*ns + 2*80*ns, Die}, // by a home elsewhere
		{0, 0, 4, 40*ns + 2*25*ns, CrossDie}, {1, 0, 4, 40*ns + 2*25*ns, CrossDie},
		{2, 0, 4, 40*ns + 2*80*ns + 25*ns, CrossDie},
		{0, 0, 8, 40*ns + 2*80*ns, CrossNode}, {2, 0, 8, 40*ns + 2*80*ns, CrossNode},
		{1, 0, 8, 40*ns + 80*ns + 25*ns + 80*ns, CrossNode},
	} {
		b := newHome(t, 16, k.node)
		b.writes(k.holder, 1, 0, 100*ns+2*legTime(0, k.node), DRAM)
		out := b.reads(k.reader, 1000*ns, 1, 1000*ns+k.want, k.distance)
		if int(out.Home) != k.node {
			t.Errorf("home node %d, want %d", out.Home, k.node)
		}
	}
}

func legTime(node, home int) sim.Time {
	switch {
	case node == home:
		return 0
	case node/2 == home/2:
		return 25 * ns
	}
	return 80 * ns
}

// TestHomeServesOneAfterAnother: reads of one line overlap but for the home's 7 ns; those of another line do not wait.
func TestHomeServesOneAfterAnother(t *testing.T) {
	b := newHome(t, 8, 0)
	other, err := b.Alloc(LineSize)
	if err != nil {
		t.Fatal(err)
	}
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.reads(1, 200*ns, 1, 220*ns, Cluster)
	b.reads(2, 200*ns, 1, 200*ns+7*ns+40*ns, Die)
	b.reads(3, 201*ns, 1, 200*ns+14*ns+20*ns, Cluster) // from CPU2
	if _, out := b.Read(4, other, 8, 201*ns); out.Done != 201*ns+100*ns+2*25*ns {
		t.Errorf("another line at %s", out.Done)
	}
	b.writes(1, 2, 202*ns, 247*ns+40*ns, Die) // all reads first
}

// TestWatchersAskTheHomeInTurn: after a write all that spin ask for the line again, the nearest first. Only those that
// find what they wait for are woken, and their turn is kept.
//
//	release at 300 ns    home:  CPU1  CPU2  CPU3    CPU4  CPU5      7 ns each
//	                                        woken
func TestWatchersAskTheHomeInTurn(t *testing.T) {
	b := newHome(t, 8, 0)
	b.writes(0, 1, 0, 100*ns, DRAM)
	for c := 5; c > 0; c-- {
		_, out := b.Read(c, b.addr, 8, 200*ns)
		ticket := uint64(c)
		if _, found := b.Watch(c, b.addr, 8, out.Version, func(v uint64) bool { return v == ticket }); found {
			t.Fatalf("CPU%d", c)
		}
	}
	b.writes(0, 3, 400*ns, 490*ns, CrossDie)
	b.wakes("CPU3 at 490 ns")
	b.reads(3, 490*ns, 3, 490*ns+2*7*ns+20*ns, Cluster) // behind CPU1 and CPU2, from the latter
	b.writes(3, 4, 600*ns, 691*ns, CrossDie)            // CPU4 had its copy at 490 + 3*7 + 90 ns
	b.wakes("CPU4 at 691 ns")
	b.reads(6, 691*ns, 4, 691*ns+4*7*ns+40*ns+2*25*ns, Die) // behind all that spin, from CPU5
}
