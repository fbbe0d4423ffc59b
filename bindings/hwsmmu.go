package bindings

import (
	"fmt"
	"io"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// smmuBoard is a board that may have an SMMU.
type smmuBoard interface {
	SMMU() *smmuv3.SMMU // nil: none
	SMMUBase() uint64
	DumpSMMU(w io.Writer)
	TranslateSMMU(w io.Writer, stream uint32, substream *uint32, addr uint64, op bus.Op, attr bus.Attr)
}

// smmu is the machine's board, which must have an SMMU.
func (m *machineObject) smmu(L *lua.LState) smmuBoard {
	board, ok := m.Board.(smmuBoard)
	if !ok || board.SMMU() == nil {
		api.Errorf(L, "Machine.smmu: %s has no SMMU; hw.machine(%q, { smmu = {} }) has one", m.Spec.Name, m.Spec.Name)
	}
	return board
}

// smmuTables are the registers of an SMMUv3, and what lies in memory.
var smmuTables = []registerTable{
	{"SMMU", "Registers of an SMMUv3's frame; read them as m.smmu.SMMU_CR0.", "SMMU_", smmu.Registers},
	{"SMMU commands", "Words of commands; decode SMMU_CMD takes a whole one apart.", "CMD", smmu.Registers},
	{"SMMU events", "Words of event records; decode SMMU_EVT takes a whole one apart.", "EVT", smmu.Registers},
	{"SMMU page requests", "Words of PRI queue entries; decode SMMU_PRI takes a whole one apart.", "PRI", smmu.Registers},
	{"SMMU stream table entries", "Words of STEs.", "STE", smmu.Registers},
	{"SMMU context descriptors", "Words of CDs.", "CD", smmu.Registers},
	{"SMMU level 1 descriptors", "Words of the first levels of stream tables and tables of CDs.", "L1", smmu.Registers},
}

var smmuSchema = &api.Schema{
	Name: "smmu", Doc: "Options of the SMMUv3. A table, even an empty one, makes the machine have one.",
	Options: []api.Param{
		api.Opt("msi", api.Bool(), "true", "it writes MSIs; some boards' do not"),
		api.Opt("sev", api.Bool(), "true", "it sends events to the CPUs"),
		api.Opt("ril", api.Bool(), "false", "it invalidates ranges"),
		api.Opt("stage2", api.Bool(), "true", "it has stage 2"),
		api.Opt("node", api.Count(0), "0", "the die that it is on"),
	},
}

// changeSMMU applies a script's changes.
func changeSMMU(board *machine.ArmSpec, o api.Values) {
	if board.SMMU == nil {
		board.SMMU = machine.DefaultSMMU(board.SMMUBase)
	}
	s := &board.SMMU.SMMU
	s.MSI, s.SEV = o.Bool("msi", s.MSI), o.Bool("sev", s.SEV)
	s.RIL, s.Stage2 = o.Bool("ril", s.RIL), o.Bool("stage2", s.Stage2)
	board.SMMU.Node = int(o.Int("node", int64(board.SMMU.Node)))
}

// smmuDevice is an SMMU as the class of devices takes it.
type smmuDevice struct {
	*smmuv3.SMMU
	board smmuBoard
}

func (d smmuDevice) Dump(w io.Writer) { d.board.DumpSMMU(w) }

const smmuExample = `hw.machine("virt", { smmu = {} }).smmu`

var smmuClass = func() *api.Class {
	c := deviceClass("SMMU", "An SMMUv3. Its dump decodes what waits in its queues.", "SMMU_", "SMMU_CR0", smmuExample)
	c.Funcs = append(c.Funcs, smmuTranslateFunc, smmuAccessFunc)
	return c
}()

var (
	smmuOps = api.Words[bus.Op]{{Text: "read", Value: bus.Read}, {Text: "write", Value: bus.Write}}

	streamParam = api.P("stream", api.Int(0, 1<<32-1), "StreamID of the device")
	iovaParam   = api.P("iova", api.U64(), "address that the device uses")

	accessSchema = &api.Schema{
		Name: "access", Doc: "What else an access of a device says.",
		Options: []api.Param{
			api.Opt("substream", api.Int(0, 1<<20-1), "none", "SubstreamID"),
			api.Opt("privileged", api.Bool(), "false", "a privileged access"),
		},
	}
	accessParam = api.Opt("options", api.OptionsOf(accessSchema), "none", "what else the access says")
)

// accessOptions are the substream, nil for none, and the attributes of an access.
func accessOptions(L *lua.LState, n int) (*uint32, bus.Attr) {
	attr := bus.Normal
	attr.Privileged = false
	if L.Get(n) == lua.LNil {
		return nil, attr
	}
	o := accessSchema.At(L, n)
	attr.Privileged = o.Bool("privileged", false)
	if !o.Has("substream") {
		return nil, attr
	}
	substream := uint32(o.Int("substream", 0))
	return &substream, attr
}

var smmuTranslateFunc = api.Func{
	Name: "translate",
	Doc: "Prints each step by which an access of a device would be translated now: structures and descriptors as " +
		"memory or caches have them, and the result. It takes no time and changes nothing.",
	Params: []api.Param{
		streamParam, iovaParam, api.Opt("op", smmuOps.Type(), `"read"`, "read or write"), accessParam,
	},
	Example: smmuExample + `:translate(8, 0x1000, "write")`,
	Fn: func(L *lua.LState) int {
		d := deviceAt(L)
		op := bus.Read
		if L.Get(4) != lua.LNil {
			op = smmuOps.At(L, 4)
		}
		substream, attr := accessOptions(L, 5)
		out := host.Of(L).Stdout()
		d.m.smmu(L).TranslateSMMU(out, uint32(api.NumberAt(L, 2)), substream, api.U64At(L, 3), op, attr)
		return 0
	},
}

// smmuClient waits for an access to be answered.
type smmuClient struct{ answered bool }

func (c *smmuClient) Answered(*smmuv3.Request, sim.Time) { c.answered = true }

var smmuAccessFunc = api.Func{
	Name: "access",
	Doc: "Makes an access of a device behind the SMMU, and simulates until nothing is pending, as m:run() does. An " +
		"access that stalls is answered later, if ever.",
	Params: []api.Param{
		streamParam, iovaParam, api.P("op", smmuOps.Type(), "read or write"),
		api.Opt("value", api.U64(), "0", "of a write, 8 bytes"), accessParam,
	},
	Returns: []api.Param{
		api.P("result", api.Enum("performed", "aborted", "terminated", "stalled"), "how it has ended"),
		api.P("value", api.U64(), "of a read, 8 bytes"),
	},
	Example: smmuExample + `:access(8, 0x40000000, "read")`,
	Fn:      smmuAccess,
}

func smmuAccess(L *lua.LState) int {
	d := api.Object[*deviceObject](L, 1)
	d.m.mustBeOpen(L)
	notInside(L, d.m, "access")
	addr := api.U64At(L, 3)
	if addr%8 != 0 {
		api.ArgErrorf(L, 3, "a multiple of 8")
	}
	client, s := &smmuClient{}, d.m.smmu(L).SMMU()
	stream := uint32(api.NumberAt(L, 2))
	r := s.NewRequest(client, fmt.Sprintf("stream %d", stream))
	substream, attr := accessOptions(L, 6)
	master := &bus.Master{Name: fmt.Sprintf("stream %d", stream), StreamID: stream}
	if substream != nil {
		master.SubstreamID, r.Substream = *substream, true
	}
	r.Transaction = bus.Transaction{Master: master, Addr: bus.Addr(addr), Len: 8, Op: smmuOps.At(L, 4), Attr: attr}
	r.Data[0] = api.OptU64At(L, 5, 0)
	r.Submit()
	d.m.awaited = nil
	d.m.drive(L)
	result := r.Result.String()
	if !client.answered {
		result = "stalled"
	}
	L.Push(lua.LString(result))
	api.PushU64(L, r.Data[0])
	return 2
}

// smmuFields are an SMMU as a machine shows it.
func smmuFields() []api.Field {
	return []api.Field{{
		Name: "smmu", Type: api.ObjectOf(smmuClass), Doc: "The machine's SMMU, if it has one.", Example: smmuExample,
		Get: func(L *lua.LState) int {
			m := api.Object[*machineObject](L, 1)
			board := m.smmu(L)
			L.Push(smmuClass.New(L, &deviceObject{
				m: m, name: "SMMU", prefix: "SMMU_", base: board.SMMUBase(), device: smmuDevice{board.SMMU(), board},
			}))
			return 1
		},
	}}
}

// smmuEntries are what lies in memory and is decoded as a whole.
var smmuEntries = []struct {
	name, doc string
	words     int
	decode    func(w []uint64) string
}{
	{"SMMU_CMD", "a command", 2, func(w []uint64) string { return smmuv3.DecodeCommand(w[0], w[1]) }},
	{"SMMU_EVT", "an event record", 4, func(w []uint64) string { return smmuv3.DecodeEvent([4]uint64(w)) }},
	{"SMMU_PRI", "a page request", 2, func(w []uint64) string { return smmuv3.DecodePRI([2]uint64(w)) }},
}

// IsEntry reports whether a name is that of something with several words, which DecodeEntry takes apart.
func IsEntry(name string) bool {
	for i := range smmuEntries {
		if smmuEntries[i].name == name {
			return true
		}
	}
	return false
}

// DecodeEntry takes a command, an event record or a page request apart, given by its words of 64 bits.
func DecodeEntry(name string, words []uint64) (string, error) {
	for i := range smmuEntries {
		e := &smmuEntries[i]
		if e.name != name {
			continue
		}
		if len(words) != e.words {
			return "", fmt.Errorf("%s is %s of %d words, got %d", name, e.doc, e.words, len(words))
		}
		return e.decode(words), nil
	}
	return "", fmt.Errorf("no entry %q", name)
}
