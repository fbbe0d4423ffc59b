package linux

import "github.com/hwscript/hwscript/hardware/bus"

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

// barrierFences are the instructions; the first is unused.
var barrierFences = func() (fences [barriers]bus.Fence) {
	for b := BarrierDMBISHST; b < barriers; b++ {
		name := barrierNames[b]
		build := bus.DSB
		if name[:3] == "dmb" {
			build = bus.DMB
		}
		fence, ok := build(name[len("dsb_"):])
		if !ok {
			panic("BUG: no barrier " + name)
		}
		fences[b] = fence
	}
	return fences
}()

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

// Options are what patches and firmware change.
type Options struct {
	// IPIBarrier stands in gic_ipi_send_mask before ICC_SGI1R_EL1.
	IPIBarrier IPIBarrier
	// EOImode1 splits priority drop from deactivation, as a host at EL2 does (supports_deactivate_key). Otherwise
	// ICC_EOIR1_EL1 does both after the handler.
	EOImode1 bool
	// PollingIdle makes the sender read the target's rq->idle and its thread_info (set_nr_if_polling). A kernel whose
	// architecture has no TIF_POLLING_NRFLAG is compiled without; arm64's 5.17 is one.
	PollingIdle bool
}

// DefaultOptions is a 5.17 host at EL2, with the polling read: see the README's deviations.
func DefaultOptions() Options {
	return Options{IPIBarrier: BarrierDSBST, EOImode1: true, PollingIdle: true}
}

// Costs are the cycles of straight-line code between two accesses. All are assumed: the instructions of the compiled
// function, counted roughly, at one a cycle. Their sum over the path of one call is absorbed by the one fitted latency;
// what lies before the barrier also hides part of what the barrier waits for.
type Costs struct {
	CallSingle   int64 // smp_call_function_single: get_cpu, checks, the csd's initialisation
	ExecSingle   int64 // generic_exec_single, __smp_call_single_queue
	LlistAdd     int64 // llist_add_batch, between the load and the cmpxchg
	SendSingle   int64 // send_call_function_single_ipi, set_nr_if_polling
	CrossCall    int64 // arch_send_call_function_single_ipi, smp_cross_call, ipi_send_mask, its checks
	SendMask     int64 // gic_ipi_send_mask before the barrier
	TargetList   int64 // gic_compute_target_list and gic_send_sgi, for each register write
	MaskWord     int64 // for_each_cpu, for each word of the mask
	LockWait     int64 // csd_lock_wait
	IRQEntry     int64 // el1h_64_irq: registers saved, irq_enter, the switch to the IRQ stack
	HandleIRQ    int64 // gic_handle_irq, generic_handle_domain_irq, handle_percpu_devid_irq, do_handle_IPI
	FlushQueue   int64 // flush_smp_call_function_queue
	FlushEntry   int64 // the same, for each entry
	CallFunction int64 // an empty function called through a pointer
	IRQExit      int64 // irq_exit, registers restored
}

// DefaultCosts are the assumed instruction counts.
func DefaultCosts() Costs {
	return Costs{
		CallSingle: 40, ExecSingle: 20, LlistAdd: 6, SendSingle: 24, CrossCall: 60, SendMask: 16, TargetList: 36, MaskWord: 2,
		LockWait: 10, IRQEntry: 110, HandleIRQ: 130, FlushQueue: 24, FlushEntry: 12, CallFunction: 4, IRQExit: 90,
	}
}
