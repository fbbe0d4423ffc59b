package bindings

import (
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
)

// registerTables are the registers of the boards.
var registerTables = slices.Concat(gicTables, []registerTable{
	{"AArch64", "System registers of the PE; read them as m:cpu(0):read(name).", "", a64.Registers},
})

// systemTables hold the registers that MRS and MSR can name.
var systemTables = [...]bits.Table{a64.Registers, gic.Registers}

// cycleCounter is the name of the PMU's cycle counter, for the example of mrs.
var cycleCounter, _ = a64.Registers.Sys(a64.PMCCNTR_EL0)

var affinityWords = api.Words[machine.Affinities]{
	{Text: machine.AffinityFlat.String(), Value: machine.AffinityFlat},
	{Text: machine.AffinityCores.String(), Value: machine.AffinityCores},
}

// boardOptions are what hw.machine takes for the board.
var boardOptions = []api.Param{
	api.Opt("affinities", affinityWords.Type(), "flat", "flat: 16 CPUs an Aff0 group; cores: Aff1 is the core, Aff2 "+
		"the cluster"),
	api.Opt("gic", api.OptionsOf(gicSchema), "the preset's", "options of the GICv3"),
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
