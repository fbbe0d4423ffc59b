package linux

// Options are what patches change in the common code.
type Options struct {
	// PollingIdle makes the sender read the target's rq->idle and its thread_info (set_nr_if_polling). A kernel whose
	// architecture has no TIF_POLLING_NRFLAG is compiled without; arm64's 5.17 is one.
	PollingIdle bool
}

// DefaultOptions is 5.17 with the polling read: see the README's deviations.
func DefaultOptions() Options { return Options{PollingIdle: true} }

// Costs are the cycles of straight-line code between two accesses, in all of the kernel. All are assumed: the
// instructions of the compiled function, counted roughly, at one a cycle. Their sum over the path of one call is
// absorbed by the one fitted latency; what lies before the barrier also hides part of what the barrier waits for.
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
