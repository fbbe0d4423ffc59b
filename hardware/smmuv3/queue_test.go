package smmuv3_test

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// T1: queues of every size are consumed across both wraps, one at a time and full, and inconsistent pointers are not.
func TestT1Pointers(t *testing.T) {
	for log2 := uint8(0); log2 <= uint8(smmu.MaxQueueLog2); log2++ {
		t.Run(fmt.Sprintf("log2=%d", log2), func(t *testing.T) {
			bed := newTestbed(t, smmuv3.DefaultSpec())
			bed.log2 = log2
			bed.boot()
			size := uint64(1) << log2
			mask := 2*size - 1
			// The pointers start a little before a wrap, so that large queues need not be walked.
			start := (2*size - 2) & mask
			bed.write(smmu.SMMU_CR0, 0)
			bed.drive()
			bed.write(smmu.SMMU_CMDQ_PROD, start)
			bed.write(smmu.SMMU_CMDQ_CONS, start)
			bed.write(smmu.SMMU_CR0, commands)
			bed.drive()
			for i := range uint64(4) {
				p := (start + i) & mask
				bed.poke(commandQueue+p&(size-1)*16, cmdSync, 0)
				bed.write(smmu.SMMU_CMDQ_PROD, (p+1)&mask|0xfff0_0000) // bits above do not count
				bed.drive()
				bed.reads("CONS", smmu.SMMU_CMDQ_CONS, (p+1)&mask)
			}
			p := (start + 4) & mask
			if n := min(size, 64); n == size { // full
				for i := range size {
					bed.poke(commandQueue+i*16, cmdSync, 0)
				}
				bed.write(smmu.SMMU_CMDQ_PROD, (p+size)&mask)
				bed.drive()
				bed.reads("CONS", smmu.SMMU_CMDQ_CONS, (p+size)&mask)
				p = (p + size) & mask
			}
			if size > 1 { // PROD behind CONS
				bed.write(smmu.SMMU_CMDQ_PROD, (p-1)&mask)
				bed.drive()
				bed.reads("CONS", smmu.SMMU_CMDQ_CONS, p)
				if bed.eng.Remarks().Unpredictable() == nil {
					t.Error("PROD behind CONS is not remarked")
				}
			}
		})
	}
}

// A queue's base is truncated to its size: a misaligned one makes the SMMU read elsewhere, here zeros.
func TestMisalignedBase(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.write(smmu.SMMU_CR0, 0)
	bed.drive()
	bed.write64(smmu.SMMU_CMDQ_BASE, hintRA|(commandQueue+32)|queueLog2)
	bed.poke(commandQueue+32, cmdSync, 0)
	bed.poke(commandQueue, 0, 0)
	bed.write(smmu.SMMU_CR0, commands)
	bed.write(smmu.SMMU_CMDQ_PROD, 1)
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, uint64(smmu.CERROR_ILL)<<24)
	bed.reads("GERROR", smmu.SMMU_GERROR, 1)
}

// What is in use is not changed by a write, and CR0ACK follows CR0 after its time.
func TestGuards(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	for _, r := range []struct {
		name string
		off  uint64
	}{
		{"STRTAB_BASE", smmu.SMMU_STRTAB_BASE}, {"STRTAB_BASE_CFG", smmu.SMMU_STRTAB_BASE_CFG},
		{"CMDQ_BASE", smmu.SMMU_CMDQ_BASE}, {"CMDQ_CONS", smmu.SMMU_CMDQ_CONS}, {"EVENTQ_BASE", smmu.SMMU_EVENTQ_BASE},
		{"EVENTQ_PROD", smmu.SMMU_EVENTQ_PROD}, {"CR1", smmu.SMMU_CR1}, {"CR2", smmu.SMMU_CR2},
		{"GERROR_IRQ_CFG1", smmu.SMMU_GERROR_IRQ_CFG1}, {"EVENTQ_IRQ_CFG0", smmu.SMMU_EVENTQ_IRQ_CFG0},
	} {
		before := bed.read(r.off)
		bed.write(r.off, 0x7ff)
		if after := bed.read(r.off); after != before {
			t.Errorf("%s changed from 0x%x to 0x%x while it is in use", r.name, before, after)
		}
	}
	bed.write(smmu.SMMU_CR0, 0)
	if got := bed.read(smmu.SMMU_CR0ACK); got != allOn {
		t.Errorf("CR0ACK is 0x%x at once", got)
	}
	bed.drive()
	bed.reads("CR0ACK", smmu.SMMU_CR0ACK, 0)
	bed.write(smmu.SMMU_CMDQ_CONS, 5)
	bed.reads("CMDQ_CONS with CMDQEN 0", smmu.SMMU_CMDQ_CONS, 5)
	bed.write(smmu.SMMU_GBPA, 0x0010_0000)
	bed.reads("GBPA without UPDATE", smmu.SMMU_GBPA, 0)
	bed.write(smmu.SMMU_GBPA, 0x8010_0000)
	bed.reads("GBPA under way", smmu.SMMU_GBPA, 0x8010_0000)
	bed.drive()
	bed.reads("GBPA", smmu.SMMU_GBPA, 0x0010_0000)
}

// CMDQEN goes off when the command in progress is consumed whole, and then only.
func TestDisableQueue(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	for range 5 {
		bed.put(cmdSync, 0)
	}
	bed.publish()
	bed.pass(60 * 1000)
	bed.write(smmu.SMMU_CR0, 5)
	bed.drive()
	bed.reads("CR0ACK", smmu.SMMU_CR0ACK, 5)
	cons := bed.read(smmu.SMMU_CMDQ_CONS)
	if cons == 0 || cons == 5 {
		t.Errorf("CONS is %d: expected some commands to be consumed, and not all", cons)
	}
	bed.write(smmu.SMMU_CR0, allOn)
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 5)
}

// T3: an illegal command halts the queue; acknowledged, the same slot is read again, which may have been repaired, and
// PROD may have been moved back meanwhile.
func TestT3Errors(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.put(cmdSync, 0)
	bed.put(0xff, 0)
	bed.put(cmdSync, 0)
	bed.put(cmdSync, 0)
	bed.publish()
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 1|1<<24)
	bed.reads("GERROR", smmu.SMMU_GERROR, 1)
	if len(bed.wires) != 1 || bed.wires[0] != "error" {
		t.Errorf("wires %v: expected one global error", bed.wires)
	}
	bed.publish()
	bed.drive()
	bed.reads("CONS of a halted queue", smmu.SMMU_CMDQ_CONS, 1|1<<24)
	bed.write(smmu.SMMU_GERRORN, 1) // without a repair
	bed.drive()
	bed.reads("GERROR, failed again", smmu.SMMU_GERROR, 0)
	bed.poke(commandQueue+16, cmdSync, 0)
	bed.write(smmu.SMMU_CMDQ_PROD, 2) // back, no further than CONS
	bed.drive()
	bed.write(smmu.SMMU_GERRORN, 0)
	bed.drive()
	bed.reads("CONS after the repair", smmu.SMMU_CMDQ_CONS, 2|1<<24)
	bed.write(smmu.SMMU_CMDQ_PROD, 4)
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 4|1<<24)
	if bed.eng.Remarks().Unpredictable() != nil {
		t.Errorf("remarks: %v", bed.eng.Remarks().List)
	}
}

// T3: the halted MSI CMD_SYNC that Linux's handler makes a CMD_SYNC without MSI never writes it.
func TestT3RepairedSyncIsSilent(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.poke(buffers, 0x7777)
	bed.put(cmdSyncMSI|3<<12|5<<32, buffers) // CS 3
	bed.publish()
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 1<<24)
	bed.poke(commandQueue, cmdSyncSEV, 0)
	bed.write(smmu.SMMU_GERRORN, 1)
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 1|1<<24)
	if got := bed.peek(buffers); got != 0x7777 {
		t.Errorf("the MSI was written: 0x%x", got)
	}
	if bed.events != 1 {
		t.Errorf("%d events: expected the one of CS 2", bed.events)
	}
}

// T3: a queue that is not in memory.
func TestT3FetchAbort(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.write(smmu.SMMU_CR0, 0)
	bed.drive()
	bed.write64(smmu.SMMU_CMDQ_BASE, nowhere|queueLog2)
	bed.write(smmu.SMMU_CR0, commands)
	bed.write(smmu.SMMU_CMDQ_PROD, 1)
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, uint64(smmu.CERROR_ABT)<<24)
}

// endpoint is a device with an ATC, which answers or does not.
type endpoint struct {
	answers   bool
	asked     []string
	responses []string
}

func (e *endpoint) InvalidateATC(substream uint32, all bool, addr uint64, log2 uint8) bool {
	e.asked = append(e.asked, fmt.Sprintf("%d %v 0x%x %d", substream, all, addr, log2))
	return e.answers
}

func (e *endpoint) PageResponse(group uint16, response uint8) {
	e.responses = append(e.responses, fmt.Sprintf("%d %d", group, response))
}

// T3: a CMD_ATC_INV that is not answered fails the CMD_SYNC behind it; acknowledged, that completes.
func TestT3ATCInvSync(t *testing.T) {
	spec := timed()
	spec.ATS = true
	bed := newTestbed(t, spec)
	bed.boot()
	e := &endpoint{answers: true}
	bed.smmu.Connect(stream, e)
	bed.sync(0x40|1<<11|3<<12|stream<<32, 0x7000|2)
	if want := "3 false 0x7000 14"; len(e.asked) != 1 || e.asked[0] != want {
		t.Errorf("asked %q, expected %q", e.asked, want)
	}
	e.answers = false
	bed.do(0x40|stream<<32, 52, cmdSync, 0)
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 3|uint64(smmu.CERROR_ATC_INV_SYNC)<<24)
	bed.write(smmu.SMMU_GERRORN, 1)
	bed.drive()
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, 4|uint64(smmu.CERROR_ATC_INV_SYNC)<<24)
	if want := "0 true 0x0 64"; len(e.asked) != 2 || e.asked[1] != want {
		t.Errorf("asked %q, expected %q", e.asked, want)
	}
}
