package gicv3_test

import (
	"fmt"
	"os"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Two PEs, of which the first sends the second SGI 5.
func Example() {
	eng := sim.NewEngine()
	ports := []gicv3.CPUPort{&port{eng: eng}, &port{eng: eng}}
	g, err := gicv3.New(gicv3.DefaultSpec(2, 0x080a_0000), eng, wires(300*sim.Nanosecond), ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	g.Distributor().WriteReg(gic.GICD_CTLR, 4, uint64(gic.GICD_CTLR_EnableGrp1))
	r, c := g.Redistributor(1), g.CPUInterface(1)
	r.WriteReg(gic.GICR_WAKER, 4, 0)
	r.WriteReg(gic.GICR_IGROUPR0, 4, 0xffff)
	r.WriteReg(gic.GICR_ISENABLER0, 4, 0xffff)
	c.WriteSys(gic.ICC_PMR_EL1, 0xf0)
	c.WriteSys(gic.ICC_IGRPEN1_EL1, 1)

	sgi := gic.ICC_SGI1R_EL1_INTID.Put(0, 5)
	g.CPUInterface(0).WriteSys(gic.ICC_SGI1R_EL1, gic.ICC_SGI1R_EL1_TargetList.Put(sgi, 1<<1))
	if err := eng.Drive(nil); err != nil {
		fmt.Println(err)
	}
	id, _ := c.ReadSys(gic.ICC_IAR1_EL1)
	fmt.Println("SGI", id, "taken at", eng.Now())
	r.Dump(os.Stdout)
	// Output:
	// SGI 5 taken at 300 ns
	// GICR_CTLR        0x0000_0002  CES
	// GICR_TYPER       0x1_0100_0131  Affinity_Value=1 CommonLPIAff=1 Processor_Number=1 DPGS Last PLPIS
	// GICR_WAKER       0x0000_0000
	// GICR_PROPBASER   0x0000_0000
	// GICR_PENDBASER   0x0000_0000
	//       0-4  group 1  0x00  edge     enabled
	//         5  group 1  0x00  edge     enabled active
	//      6-15  group 1  0x00  edge     enabled
}
