package opensbi

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// all is a call's base that stands for every hart, and a size that stands for everything.
const all = ^uint64(0)

// ECall serves a call of the supervisor on a hart.
func (f *Firmware) ECall(on int, call rv.Call) rv.Return {
	h := &f.harts[on]
	h.cpu.Exec(f.spec.ECall)
	switch call.Extension {
	case rv.BaseExtension:
		return base(call)
	case rv.IPIExtension:
		if call.Function == 0 {
			return rv.Return{Error: f.sendIPI(h, call.Args[0], call.Args[1])}
		}
	case rv.RFENCE:
		a := &call.Args
		switch call.Function {
		case rv.RemoteFenceI:
			return rv.Return{Error: f.request(h, a[0], a[1], fence{kind: instructions})}
		case rv.RemoteSfenceVMA:
			return rv.Return{Error: f.request(h, a[0], a[1], fence{kind: addresses, start: a[2], size: a[3]})}
		case rv.RemoteSfenceVMAASID:
			return rv.Return{Error: f.request(h, a[0], a[1], fence{kind: space, start: a[2], size: a[3], asid: a[4]})}
		}
	case rv.LegacyClearIPI, rv.LegacySendIPI, rv.LegacyFenceI, rv.LegacySfence, rv.LegacySfenceASID:
		return f.legacy(h, call)
	}
	return rv.Return{Error: rv.NotSupported}
}

// base is the extension that says what there is.
func base(call rv.Call) rv.Return {
	switch call.Function {
	case rv.GetSpecVersion:
		return rv.Return{Value: 2 << 24}
	case rv.ProbeExtension:
		switch rv.Extension(call.Args[0]) {
		case rv.BaseExtension, rv.IPIExtension, rv.RFENCE, rv.LegacyClearIPI, rv.LegacySendIPI, rv.LegacyFenceI,
			rv.LegacySfence, rv.LegacySfenceASID:
			return rv.Return{Value: 1}
		}
		return rv.Return{}
	}
	return rv.Return{Error: rv.NotSupported}
}

// legacy are the calls of version 0.1: the mask of harts lies in memory, and no address stands for all harts.
func (f *Firmware) legacy(h *hart, call rv.Call) rv.Return {
	if call.Extension == rv.LegacyClearIPI {
		h.ClearPending(uint64(rv.MIP_SSIP))
		return rv.Return{}
	}
	a, mask, from := &call.Args, uint64(0), all
	if a[0] != 0 {
		var ok bool
		if mask, ok = h.LoadSupervisor(a[0]); !ok {
			return rv.Return{Fault: true}
		}
		from = 0
	}
	switch call.Extension {
	case rv.LegacySendIPI:
		return rv.Return{Error: f.sendIPI(h, mask, from)}
	case rv.LegacyFenceI:
		return rv.Return{Error: f.request(h, mask, from, fence{kind: instructions})}
	case rv.LegacySfence:
		return rv.Return{Error: f.request(h, mask, from, fence{kind: addresses, start: a[1], size: a[2]})}
	}
	return rv.Return{Error: f.request(h, mask, from, fence{kind: space, start: a[1], size: a[2], asid: a[3]})}
}

// targets are the harts of a mask that begins at a hart id, by their numbers here.
func (f *Firmware) targets(mask, from uint64) (set uint64, e rv.Error) {
	for i := range f.harts {
		if id := f.harts[i].id; from == all || id >= from && id-from < 64 && mask>>(id-from)&1 != 0 {
			set |= 1 << i
			if from != all {
				mask &^= 1 << (id - from)
			}
		}
	}
	running := f.running(set)
	switch {
	case from != all && mask != 0 && f.spec.Check != CheckNothing:
		return 0, rv.InvalidParam
	case from != all && running != set && f.spec.Check == CheckRunning:
		return 0, rv.InvalidParam
	}
	return running, rv.Success
}

// running leaves out harts that cannot be interrupted. They fence when they start again.
func (f *Firmware) running(set uint64) uint64 {
	for i := range f.harts {
		if p := f.harts[i].cpu.Power(); p == cpu.Off {
			set &^= 1 << i
		}
	}
	return set
}

// sendIPI sets SSIP of harts, by way of their machine mode. sbi_ipi_send_many.
func (f *Firmware) sendIPI(h *hart, mask, from uint64) rv.Error {
	set, e := f.targets(mask, from)
	for i := range f.harts {
		if set>>i&1 != 0 {
			f.ask(h.cpu, &f.harts[i], softwareEvent)
		}
	}
	return e
}
