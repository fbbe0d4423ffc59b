package smmuv3

// registers are what software has written, and what the SMMU shows. Fields that do not exist are 0.
//
// Invariant: a pointer has no bits but its index, its wrap bit and its flag.
type registers struct {
	cr0, cr0ack      uint64
	cr1, cr2         uint64
	gbpa             uint64
	irqCtrl, irqAck  uint64
	gerror, gerrorn  uint64
	strtab           uint64
	strtabCfg        uint64
	command          queueRegisters
	event, pri       queueRegisters
	globalIRQ        message
	eventIRQ, priIRQ message
}

// queueRegisters are those of a queue.
type queueRegisters struct{ base, prod, cons uint64 }

// message is where and how an MSI is written, as the IRQ_CFG registers have it.
type message struct{ addr, data, attr uint64 }

// active are the errors that software has not acknowledged.
func (r *registers) active() uint64 { return r.gerror ^ r.gerrorn }
