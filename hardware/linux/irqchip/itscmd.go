package irqchip

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Commands as the driver sends them: each built in a slot of the queue, most with a SYNC behind, then GITS_CWRITER,
// then polling GITS_CREADR with the lock released and interrupts open.

// A builder is its_cmd_builder_t: it builds a command in s.cmd, and answers the collection whose redistributor a SYNC
// is for, nil for none. The builders are its_build_*_cmd.
type builder func(s *itsNode) *itsCollection

// send is its_send_single_command (BUILD_SINGLE_CMD_FUNC).
func (s *itsNode) send(c *cpu.CPU, build builder) {
	c.Enter("its_send_single_command")
	defer c.Leave()
	masked := s.lock(c)
	from, ok := s.allocate(c)
	if !ok {
		s.unlock(c, masked)
		s.fail("%s: ITS queue timeout: no free slot", c)
		return
	}
	s.cmd = [4]uint64{}
	sync := build(s)
	s.put(c, from)
	if sync != nil {
		if slot, ok := s.allocate(c); ok {
			s.cmd = [4]uint64{}
			s.cmd[0] = gic.ITS_CMD_0_Opcode.Put(0, uint64(gic.SYNC))
			s.cmd[2] = sync.rdbase(0)
			s.put(c, slot)
		}
	}
	previous := from * uint64(gic.ITSCommandSize)
	if s.options.Wrap == WrapLinear {
		previous = s.read(c, gic.GITS_CREADR, 4)
	}
	to := s.post(c)
	s.unlock(c, masked)
	s.waitForRange(c, previous, to)
}

// allocate is its_allocate_entry: the next slot, when the queue is not full. GITS_CREADR is read for each slot.
func (s *itsNode) allocate(c *cpu.CPU) (slot uint64, ok bool) {
	at := s.lines + itsCmdWrite
	for range itsPolls {
		slot = c.Load(at, 8, bus.Plain)
		read := s.read(c, gic.GITS_CREADR, 4) / uint64(gic.ITSCommandSize)
		c.Branch(c.Loaded())
		if (slot+1)%itsSlots != read { // its_queue_full
			c.Store(at, 8, (slot+1)%itsSlots, bus.Plain)
			return slot, true
		}
		c.Delay(sim.Microsecond)
	}
	return 0, false
}

// put writes a command to its slot, and makes it visible to the ITS: its_flush_cmd. 4.9 builds it in place; 5.17 clears
// the slot first.
func (s *itsNode) put(c *cpu.CPU, slot uint64) {
	at := s.queue + slot*uint64(gic.ITSCommandSize)
	if s.options.Version == ITS517 {
		for i := range uint64(4) {
			c.Store(at+8*i, 8, 0, bus.Plain)
		}
	}
	for i, w := range s.cmd {
		c.Store(at+8*uint64(i), 8, w, bus.Plain)
	}
	switch {
	case s.options.NoFlush:
	case s.flushQueue:
		s.g.flushToPoC(c, at, uint64(gic.ITSCommandSize))
	default:
		c.Fence(s.g.dsbISHST)
	}
}

// post is its_post_commands: everything up to cmd_write may be processed.
func (s *itsNode) post(c *cpu.CPU) uint64 {
	to := c.Load(s.lines+itsCmdWrite, 8, bus.Plain) * uint64(gic.ITSCommandSize)
	s.write(c, gic.GITS_CWRITER, 4, to)
	return to
}

// waitForRange is its_wait_for_range_completion: up to a second.
func (s *itsNode) waitForRange(c *cpu.CPU, previous, to uint64) {
	from, linear := previous, previous
	if s.options.Wrap == WrapLinear && to < previous {
		to += itsQueueSize
	}
	for range itsPolls {
		read := s.read(c, gic.GITS_CREADR, 4)
		c.Branch(c.Loaded())
		if s.options.Wrap == WrapRange {
			if read >= to || read < from {
				return
			}
		} else {
			delta := read - previous
			if read < previous {
				delta += itsQueueSize
			}
			if linear += delta; linear >= to {
				return
			}
			previous = read
		}
		c.Delay(sim.Microsecond)
	}
	s.fail("%s: ITS queue timeout (%d %d)", c, from, to)
}

// rdbase puts the collection's redistributor into a doubleword.
func (l *itsCollection) rdbase(w uint64) uint64 { return gic.ITS_CMD_2_RDbase.Put(w, l.target>>16) }

// event begins a command for an event of a device.
func (s *itsNode) event(op gic.ITSOpcode, d *ITSDevice, event int) {
	s.cmd[0] = gic.ITS_CMD_0_Opcode.Put(0, uint64(op))
	s.cmd[0] = gic.ITS_CMD_0_DeviceID.Put(s.cmd[0], uint64(d.id))
	s.cmd[1] = gic.ITS_CMD_1_EventID.Put(0, uint64(event))
}

// sendMAPD is its_send_mapd.
func (s *itsNode) sendMAPD(c *cpu.CPU, d *ITSDevice, valid bool) {
	s.send(c, func(s *itsNode) *itsCollection {
		s.cmd[0] = gic.ITS_CMD_0_Opcode.Put(0, uint64(gic.MAPD))
		s.cmd[0] = gic.ITS_CMD_0_DeviceID.Put(s.cmd[0], uint64(d.id))
		s.cmd[1] = gic.ITS_MAPD_1_Size.Put(0, uint64(d.bits-1))
		s.cmd[2] = gic.ITS_MAPD_2_ITTaddr.Put(0, d.itt>>8)
		s.cmd[2] = gic.ITS_MAPD_2_V.Put(s.cmd[2], bits.Flag(valid))
		return nil
	})
}

// sendMAPC is its_send_mapc, and sendINVALL its_send_invall.
func (s *itsNode) sendMAPC(c *cpu.CPU, l *itsCollection, valid bool) {
	s.send(c, func(s *itsNode) *itsCollection {
		s.cmd[0] = gic.ITS_CMD_0_Opcode.Put(0, uint64(gic.MAPC))
		s.cmd[2] = l.rdbase(gic.ITS_CMD_2_ICID.Put(0, uint64(l.id)))
		s.cmd[2] = gic.ITS_CMD_2_V.Put(s.cmd[2], bits.Flag(valid))
		return l
	})
}

func (s *itsNode) sendINVALL(c *cpu.CPU, l *itsCollection) {
	s.send(c, func(s *itsNode) *itsCollection {
		s.cmd[0] = gic.ITS_CMD_0_Opcode.Put(0, uint64(gic.INVALL))
		s.cmd[2] = gic.ITS_CMD_2_ICID.Put(0, uint64(l.id))
		return nil
	})
}

// sendMAPTI is its_send_mapti (its_send_mapvi in 4.9).
func (s *itsNode) sendMAPTI(c *cpu.CPU, d *ITSDevice, event int) {
	s.send(c, func(s *itsNode) *itsCollection {
		l := d.collection(event)
		s.event(gic.MAPTI, d, event)
		s.cmd[1] = gic.ITS_CMD_1_pINTID.Put(s.cmd[1], uint64(d.LPI(event)))
		s.cmd[2] = gic.ITS_CMD_2_ICID.Put(0, uint64(l.id))
		return l
	})
}

// sendMOVI is its_send_movi. The SYNC is for the redistributor that the LPI comes from.
func (s *itsNode) sendMOVI(c *cpu.CPU, d *ITSDevice, event int, to *itsCollection) {
	s.send(c, func(s *itsNode) *itsCollection {
		s.event(gic.MOVI, d, event)
		s.cmd[2] = gic.ITS_CMD_2_ICID.Put(0, uint64(to.id))
		return d.collection(event)
	})
}

// sendEvent is one of its_send_inv, its_send_discard, its_send_int, its_send_clear: a device and an event. 4.9 has no
// INT; the test of the read-allocation patch brought its own.
func (s *itsNode) sendEvent(c *cpu.CPU, op gic.ITSOpcode, d *ITSDevice, event int) {
	s.send(c, func(s *itsNode) *itsCollection {
		s.event(op, d, event)
		return d.collection(event)
	})
}
