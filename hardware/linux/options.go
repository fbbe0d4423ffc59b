package linux

// Options are what patches change in the common code.
type Options struct {
	// PollingIdle makes the sender read the target's rq->idle and its thread_info (set_nr_if_polling). A kernel whose
	// architecture has no TIF_POLLING_NRFLAG is compiled without; arm64's 5.17 is one.
	PollingIdle bool

	// StackNode is the node of memory on which all tasks' stacks are: where the tasks were forked, which need not be
	// where they run. OwnNode puts each CPU's on the node of the CPU.
	StackNode int

	// NRCPUs and MaxCPUs are nr_cpus= and maxcpus= of the command line: how many CPUs the kernel knows, and how many of
	// them it brings up at boot. 0 is all.
	NRCPUs, MaxCPUs int

	// Pause is the form of the pause of remote CPUs, and PauseOneLine puts its flag and its counter, or its two masks, on
	// one line of memory.
	Pause        PauseForm
	PauseOneLine bool
}

// OwnNode is the node of the CPU.
const OwnNode = -1

// DefaultOptions is arm64's 5.17.
func DefaultOptions() Options { return Options{StackNode: OwnNode} }
