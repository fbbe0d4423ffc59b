package its

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
)

// TableArea is where the table of a GITS_BASER<n> is, and its size; of two levels, those of the first.
func TableArea(baser uint64) (base, size uint64) {
	t := table(baser)
	return t.base(), t.size()
}

// A CommandField is a field of a command, in one of its doublewords.
type CommandField struct {
	Name  string
	Word  int
	Field bits.Field
}

// CommandFields are those that a command has beside its opcode; false if there is no such command.
func CommandFields(op gic.ITSOpcode) (list []CommandField, ok bool) {
	for _, f := range commandFields[op] {
		list = append(list, CommandField{f.name, f.word, f.field})
	}
	_, ok = opcodeName(op)
	return list, ok
}
