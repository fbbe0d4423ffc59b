package its

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

func (i *ITS) trace(at sim.Time, format string, args ...any) {
	i.eng.Trace(at, i.ports.Master.Name, format, args...)
}

// Peek reads memory as a debugger does, without time.
type Peek func(addr uint64, size uint8) uint64

// Dump prints the registers, one a line, and what is under way.
func (i *ITS) Dump(w io.Writer) {
	register := func(name string, v uint64) {
		fields, _ := gic.Registers.Decode(name, v)
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-16s %s  %s", name, bits.Hex(v), fields), " "))
	}
	register("GITS_CTLR", i.readCtlr())
	register("GITS_TYPER", i.typer)
	register("GITS_CBASER", i.cbaser)
	register("GITS_CWRITER", i.cwriter)
	register("GITS_CREADR", i.readCreadr())
	for t := range collectionTable + 1 {
		register(fmt.Sprintf("GITS_BASER%d", t), i.readBaser(t))
	}
	fmt.Fprintf(w, "%d commands, %d messages, of which %d dropped; %d looked up, %d wait\n", i.commands, i.messages,
		i.dropped, i.looking, i.waiting.n)
}

// doneShown is how many commands before the present one are shown.
const doneShown = 8

// DumpQueue prints the commands that are to be processed, and some before them:
//
//	0x00e0  done  SYNC RDbase=0x1
//	0x0100  next  INT DeviceID=0x8 EventID=0x0
//	0x0120        SYNC RDbase=0x0
func (i *ITS) DumpQueue(w io.Writer, peek Peek) {
	size := i.queueSize()
	if size == 0 || i.cwriter >= size || i.creadr >= size {
		fmt.Fprintf(w, "no queue, or a pointer beyond its end: 0x%x bytes, CREADR 0x%x, CWRITER 0x%x\n", size, i.creadr,
			i.cwriter)
		return
	}
	step := uint64(gic.ITSCommandSize)
	at := (i.creadr + size - min(doneShown*step, i.done*step, size-step)) % size
	for state := "done"; at != i.cwriter || state == "done"; at = (at + step) % size {
		switch {
		case at == i.creadr && i.stalled:
			state = "stalled"
		case at == i.creadr:
			state = "next"
		case state != "done":
			state = ""
		}
		if at == i.cwriter && state == "next" {
			fmt.Fprintf(w, "0x%05x  empty\n", at)
			return
		}
		var c gic.ITSCommand
		for n := range c {
			c[n] = peek(i.queueBase()+at+8*uint64(n), 8)
		}
		fmt.Fprintf(w, "0x%05x  %-7s  %s\n", at, state, DescribeCommand(c))
	}
}

// tablesShown is how many lines of tables are printed.
const tablesShown = 1000

// dumper prints a number of lines, and says that there were more.
type dumper struct {
	w    io.Writer
	left int
}

func (d *dumper) line(format string, args ...any) {
	switch d.left--; {
	case d.left > 0:
		fmt.Fprintf(d.w, format+"\n", args...)
	case d.left == 0:
		fmt.Fprintln(d.w, "and more")
	}
}

// DumpTables prints what the tables map, collections first:
//
//	collection 0x0001  redistributor 0x3
//	device 0x00000008  32 events, translation table at 0x4130_1000
//	  event 0x00000005  LPI 8213, collection 0x0001
func (i *ITS) DumpTables(w io.Writer, peek Peek) {
	d := &dumper{w, tablesShown}
	held := i.holds()
	for icid, cte := range i.held[:held] {
		if gic.ITS_CTE_Valid.Is(cte) {
			d.line("collection 0x%04x  redistributor 0x%x, held by the ITS", icid, gic.ITS_CTE_RDbase.Get(cte))
		}
	}
	i.walk(collectionTable, 1<<i.spec.CollectionBits-held, peek, func(index, cte uint64) {
		if gic.ITS_CTE_Valid.Is(cte) {
			d.line("collection 0x%04x  redistributor 0x%x", index+held, gic.ITS_CTE_RDbase.Get(cte))
		}
	})
	i.walk(deviceTable, 1<<i.spec.DeviceBits, peek, func(device, dte uint64) {
		if gic.ITS_DTE_Valid.Is(dte) && d.left > 0 {
			i.dumpDevice(d, device, dte, peek)
		}
	})
}

func (i *ITS) dumpDevice(d *dumper, device, dte uint64, peek Peek) {
	itt := dte & uint64(gic.ITS_DTE_ITTaddr)
	d.line("device 0x%08x  %d events, translation table at %s", device, events(dte), bits.Hex(itt))
	for event := uint64(0); event < events(dte) && d.left > 0; event++ {
		if ite := peek(itt+event*uint64(i.spec.ITESize), 8); gic.ITS_ITE_Valid.Is(ite) {
			d.line("  event 0x%08x  LPI %d, collection 0x%04x", event, gic.ITS_ITE_pINTID.Get(ite),
				gic.ITS_ITE_ICID.Get(ite))
		}
	}
}

// walk visits the entries of a table, but for pages of the second level that are not there.
func (i *ITS) walk(number int, ids uint64, peek Peek, visit func(id, entry uint64)) {
	t := table(i.baser[number])
	for id := uint64(0); id < ids; id++ {
		addr, outside := t.entry(id)
		if outside {
			return
		}
		if t.indirect() {
			v := peek(addr, level1Size)
			if !gic.ITS_L1_Valid.Is(v) {
				id += t.pageSize()/entrySize - 1
				continue
			}
			addr = t.second(v, id)
		}
		visit(id, peek(addr, entrySize))
	}
}
