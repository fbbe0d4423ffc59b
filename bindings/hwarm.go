package bindings

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
)

// registerTables are the registers of the boards.
var registerTables = slices.Concat(gicTables, smmuTables, []registerTable{
	{"AArch64", "System registers of the PE; read them as m:cpu(0):read(name). PTE: descriptors of translation tables.",
		"", a64.Registers},
})

// systemTables hold the registers that MRS and MSR can name.
var systemTables = [...]bits.Table{a64.Registers, gic.Registers}

// Names of registers for examples: the cycle counter, and the mask of interrupts by priority.
var (
	cycleCounter, _ = a64.Registers.Sys(a64.PMCCNTR_EL0)
	maskRegister, _ = gic.Registers.Sys(gic.ICC_PMR_EL1)
)

var affinityWords = api.Words[machine.Affinities]{
	{Text: machine.AffinityFlat.String(), Value: machine.AffinityFlat},
	{Text: machine.AffinityCores.String(), Value: machine.AffinityCores},
}

// boardOptions are what hw.machine takes for the board.
var boardOptions = []api.Param{
	api.Opt("affinities", affinityWords.Type(), "flat", "flat: per_aff0 CPUs an Aff0 group; cores: Aff1 is the core, "+
		"Aff2 the cluster"),
	api.Opt("per_aff0", api.Int(1, 16), "the preset's", "CPUs that one write of ICC_SGI1R_EL1 can name; divides cpus"),
	api.Opt("redistributors_off", api.Bool(), "false", "a CPU that is switched off takes its redistributor along"),
	api.Opt("gic", api.OptionsOf(gicSchema), "the preset's", "options of the GICv3"),
	api.Opt("its", api.OptionsOf(itsSchema), "the preset's", "options of the ITS, which the machine gets if it has none"),
	api.Opt("smmu", api.OptionsOf(smmuSchema), "the preset's", "an SMMUv3, and options of it"),
}

// changeBoard applies a script's changes to the board.
func changeBoard(spec *machine.Spec, o api.Values) error {
	board, ok := spec.Board.(*machine.ArmSpec)
	if !ok {
		return nil
	}
	if a, ok := affinityWords.Lookup(o.String("affinities", "")); ok {
		board.Affinities = a
	}
	board.RedistributorsOff = o.Bool("redistributors_off", board.RedistributorsOff)
	if o.Has("per_aff0") {
		board.PerAff0 = int(o.Int("per_aff0", 0))
		if spec.CPUs%board.PerAff0 != 0 {
			return fmt.Errorf("per_aff0: expected a divisor of the %d CPUs, got %d", spec.CPUs, board.PerAff0)
		}
	}
	if err := changeITS(board, o); err != nil {
		return err
	}
	if o.Has("smmu") {
		changeSMMU(board, o.Sub("smmu"))
	}
	return changeGIC(&board.GIC, o.Sub("gic"))
}

// affinities is how the board numbers the CPUs.
func affinities(spec *machine.Spec) machine.Affinities {
	if board, ok := spec.Board.(*machine.ArmSpec); ok {
		return board.Affinities
	}
	return machine.AffinityFlat
}

func fenceWords(build func(string) (bus.Fence, bool)) (words api.Words[bus.Fence]) {
	for _, name := range arm.BarrierOptions() {
		f, _ := build(name)
		words = append(words, api.Word[bus.Fence]{Text: name, Value: f})
	}
	return words
}

var (
	dmbWords = fenceWords(arm.DMB)
	dsbWords = fenceWords(arm.DSB)
)

// peAt is the PE at position 1, whose program must be the one that runs.
func peAt(L *lua.LState, method string) *arm.PE {
	c := programAt(L)
	board, ok := c.m.Board.(interface{ PE(cpu int) *arm.PE })
	if !ok {
		api.Errorf(L, "CPU:%s: %s has no Arm PEs", method, c.m.Spec.Name)
	}
	return board.PE(c.cpu.ID)
}

func cpuEventFuncs() (funcs []api.Func) {
	for _, f := range [...]struct {
		name, doc, example string
		do                 func(p *arm.PE)
	}{
		{"wfe", "Waits for an event: returns at once if one came since the last wfe.", "cpu:sev(); cpu:wfe()",
			(*arm.PE).WaitForEvent},
		{"sev", "Sends an event to all CPUs.", "cpu:sev()", (*arm.PE).SendEvent},
		{"sevl", "Sends an event to this CPU alone.", "cpu:sevl(); cpu:wfe()", (*arm.PE).SendLocalEvent},
	} {
		funcs = append(funcs, api.Func{
			Name: f.name, Doc: f.doc, Example: runExample(f.example),
			Fn: func(L *lua.LState) int {
				f.do(peAt(L, f.name))
				return 0
			},
		})
	}
	return funcs
}
