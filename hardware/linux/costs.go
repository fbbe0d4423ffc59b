package linux

// Costs are the cycles of straight-line code between two accesses, in all of the kernel, and the lines of stack to
// which it stores. All are assumed: the instructions of the compiled function, counted roughly, at one a cycle. Their
// sum over the path of one call is absorbed by the one fitted latency; what lies before the barrier also hides part of
// what the barrier waits for.
type Costs struct {
	CallSingle, ExecSingle, LlistAdd, SendSingle, CrossCall, SendMask, TargetList, MaskWord, LockWait int64

	CallMany, CallEach int64

	IRQEntry, HandleIRQ, FlushQueue, FlushEntry, CallFunction, IRQExit int64

	FrameLines, EntryLines int64 // see stack.go
}

// A CostUnit is what costs are counted in.
type CostUnit uint8

// The units.
const (
	Cycles CostUnit = iota
	Lines           // of the stack, each stored to once
)

// String is the unit's name.
func (u CostUnit) String() string { return [...]string{"cycles", "lines"}[u] }

// Most is the largest number that makes sense.
func (u CostUnit) Most() int64 { return [...]int64{1_000_000, 64}[u] }

// costTable describes the costs, in the order of the path.
var costTable = [...]struct {
	name, doc string
	assumed   int64
	unit      CostUnit
	of        func(c *Costs) *int64
}{
	{"call_single", "smp_call_function_single: get_cpu, checks, the csd's initialisation", 40, Cycles,
		func(c *Costs) *int64 { return &c.CallSingle }},
	{"exec_single", "generic_exec_single and __smp_call_single_queue", 20, Cycles,
		func(c *Costs) *int64 { return &c.ExecSingle }},
	{"llist_add", "llist_add_batch, between the load and the cmpxchg", 6, Cycles,
		func(c *Costs) *int64 { return &c.LlistAdd }},
	{"send_single", "send_call_function_single_ipi and set_nr_if_polling", 24, Cycles,
		func(c *Costs) *int64 { return &c.SendSingle }},
	{"cross_call", "arch_send_call_function_single_ipi, smp_cross_call and ipi_send_mask", 60, Cycles,
		func(c *Costs) *int64 { return &c.CrossCall }},
	{"send_mask", "gic_ipi_send_mask before the barrier", 16, Cycles,
		func(c *Costs) *int64 { return &c.SendMask }},
	{"target_list", "gic_compute_target_list and gic_send_sgi for each register write", 36, Cycles,
		func(c *Costs) *int64 { return &c.TargetList }},
	{"mask_word", "for_each_cpu for each word of the mask", 2, Cycles,
		func(c *Costs) *int64 { return &c.MaskWord }},
	{"lock_wait", "csd_lock_wait", 10, Cycles,
		func(c *Costs) *int64 { return &c.LockWait }},
	{"call_many", "smp_call_function_many_cond: checks, before and behind the loop over the CPUs", 60, Cycles,
		func(c *Costs) *int64 { return &c.CallMany }},
	{"call_each", "the same for each CPU: the csd's address and initialisation", 16, Cycles,
		func(c *Costs) *int64 { return &c.CallEach }},
	{"irq_entry", "el1h_64_irq: registers saved, irq_enter, the switch of stacks", 110, Cycles,
		func(c *Costs) *int64 { return &c.IRQEntry }},
	{"handle_irq", "gic_handle_irq to do_handle_IPI", 130, Cycles,
		func(c *Costs) *int64 { return &c.HandleIRQ }},
	{"flush_queue", "flush_smp_call_function_queue", 24, Cycles,
		func(c *Costs) *int64 { return &c.FlushQueue }},
	{"flush_entry", "the same for each entry of the queue", 12, Cycles,
		func(c *Costs) *int64 { return &c.FlushEntry }},
	{"call_function", "an empty function called through a pointer", 4, Cycles,
		func(c *Costs) *int64 { return &c.CallFunction }},
	{"irq_exit", "irq_exit and registers restored", 90, Cycles,
		func(c *Costs) *int64 { return &c.IRQExit }},
	{"frame_lines", "stack frames between llist_add and the barrier: 12 pairs of registers", 3, Lines,
		func(c *Costs) *int64 { return &c.FrameLines }},
	{"entry_lines", "el1h_64_irq: 34 registers saved before the barrier of gic_read_iar", 5, Lines,
		func(c *Costs) *int64 { return &c.EntryLines }},
}

// DefaultCosts are the assumed instruction counts.
func DefaultCosts() (costs Costs) {
	for i := range costTable {
		*costTable[i].of(&costs) = costTable[i].assumed
	}
	return costs
}

// A Cost is one of Costs, under its name in scripts. Low and High are the range in which the true number is taken to
// lie, which is a guess of its own: half of the assumed count (two instructions a cycle) to twice it. A number that was
// set is exact.
type Cost struct {
	Name, Doc          string
	Unit               CostUnit
	Low, Typical, High int64
	Set                bool // another than the assumed one
}

// List is all costs in the order of the path.
func (c Costs) List() []Cost {
	list := make([]Cost, len(costTable))
	for i := range costTable {
		row := &costTable[i]
		n := *row.of(&c)
		list[i] = Cost{row.name, row.doc, row.unit, n / 2, n, 2 * n, n != row.assumed}
		if list[i].Set {
			list[i].Low, list[i].High = n, n
		}
	}
	return list
}

// Set changes the cost of a name; false if there is none.
func (c *Costs) Set(name string, cycles int64) bool {
	for i := range costTable {
		if costTable[i].name == name {
			*costTable[i].of(c) = cycles
			return true
		}
	}
	return false
}
