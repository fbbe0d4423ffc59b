package irqchip

import (
	"strings"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
)

// IPIBarrier is the barrier between the stores that an IPI publishes and the write that sends it.
type IPIBarrier uint8

// The barriers. wmb() is dsb_st up to 5.17; commit 80e4e1f47288 made it dsb_ishst.
const (
	BarrierNone IPIBarrier = iota
	BarrierDMBISHST
	BarrierDMBISH
	BarrierDMBSY
	BarrierDSBNSHST
	BarrierDSBISHLD
	BarrierDSBST
	BarrierDSBISHST
	BarrierDSBISH
	BarrierDSBSY

	barriers = 10
)

var barrierNames = [barriers]string{
	"none", "dmb_ishst", "dmb_ish", "dmb_sy", "dsb_nshst", "dsb_ishld", "dsb_st", "dsb_ishst", "dsb_ish", "dsb_sy",
}

// String is the name in scripts: "dsb_ishst".
func (b IPIBarrier) String() string { return barrierNames[b] }

// IPIBarriers are the names of all barriers.
func IPIBarriers() []string { return barrierNames[:] }

// ParseIPIBarrier finds a barrier by its name.
func ParseIPIBarrier(name string) (IPIBarrier, bool) {
	for b, n := range barrierNames {
		if n == name {
			return IPIBarrier(b), true
		}
	}
	return 0, false
}

// macro is the instruction as the kernel writes it: "dsb(ishst)".
func (b IPIBarrier) macro() string {
	instruction, option, _ := strings.Cut(b.String(), "_")
	return instruction + "(" + option + ")"
}

// SGIBroadcast says when gic_ipi_send_mask writes ICC_SGI1R_EL1 once, with IRM, in place of once for each target list.
type SGIBroadcast uint8

// The variants, see broadcast.go.
const (
	BroadcastList   SGIBroadcast = iota // never
	BroadcastV1                         // "irqchip/gic-v3: support SGI broadcast", v1, October 2024
	BroadcastReview                     // as Marc Zyngier sketched it in reply
	BroadcastV2                         // v2, November 2024
	BroadcastFixed                      // only where IRM reaches exactly the CPUs of the mask

	sgiBroadcasts = 5
)

var broadcastNames = [sgiBroadcasts]string{"list", "v1", "review", "v2", "fixed"}

// String is the variant's name in scripts.
func (b SGIBroadcast) String() string { return broadcastNames[b] }

// Options are what patches and firmware change in the GICv3's driver.
type Options struct {
	// IPIBarrier stands in gic_ipi_send_mask before ICC_SGI1R_EL1.
	IPIBarrier IPIBarrier
	// EOImode1 splits priority drop from deactivation, as a host at EL2 does (supports_deactivate_key). Otherwise
	// ICC_EOIR1_EL1 does both after the handler.
	EOImode1 bool
	// PseudoNMI is irqchip.gicv3_pseudo_nmi=1 of a kernel of 2024: interrupts are masked by ICC_PMR_EL1, above which some
	// SGIs have a priority.
	PseudoNMI bool
	// SGIBroadcast is how gic_ipi_send_mask sends to all others.
	SGIBroadcast SGIBroadcast
	// ITS are those of the driver of the ITS, where the machine has one.
	ITS ITSOptions
}

// DefaultOptions is a 5.17 host at EL2.
func DefaultOptions() Options {
	return Options{IPIBarrier: BarrierDSBST, EOImode1: true, ITS: DefaultITSOptions(ITS517)}
}

// Ops are the paths that can be replaced as a whole.
type Ops struct {
	// GICIPISendMask is gic_chip.ipi_send_mask: it interrupts every CPU of the mask with a software generated
	// interrupt.
	GICIPISendMask func(c *cpu.CPU, intid int, mask linux.CPUMask)
}
