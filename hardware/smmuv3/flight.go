package smmuv3

import "github.com/hwscript/hwscript/hardware/arch/smmu"

// flight is the requests that are under way.
//
// Invariant: list holds the requests that are not idle, each at its index; named counts those that are; stalled holds
// those that stall, each at its tag.
type flight struct {
	list    []*Request
	named   int
	stalled []*Request
	tag     int // the next STAG to try
}

func (f *flight) reset() {
	for _, r := range f.list {
		r.state, r.named = requestIdle, false
	}
	f.list, f.named, f.tag = f.list[:0], 0, 0
	clear(f.stalled)
}

func (f *flight) enter(r *Request) {
	r.index = len(f.list)
	f.list = append(f.list, r)
}

func (f *flight) leave(r *Request) {
	last := f.list[len(f.list)-1]
	f.list[r.index], last.index = last, r.index
	f.list = f.list[:len(f.list)-1]
	r.state = requestIdle
	f.unname(r)
}

// unname: the request no longer uses what an invalidation names.
func (f *flight) unname(r *Request) {
	if !r.named {
		return
	}
	r.named = false
	f.named--
	r.s.cmdq.progress()
}

// name marks a request: what it has found so far is not kept, and a CMD_SYNC waits for it. One that has not been looked
// up finds what is there then; one that has been refused makes no access.
func (f *flight) name(r *Request) {
	switch r.state {
	case requestReading, requestLeaving, requestAccessing:
	default:
		return
	}
	r.t.tainted = true
	if !r.named {
		r.named = true
		f.named++
	}
}

// nameStreams marks what an invalidation of configuration concerns.
func (f *flight) nameStreams(x *cfgInvalidation) {
	for _, r := range f.list {
		if x.names(r.t.stream) {
			f.name(r)
		}
	}
}

// nameTranslations marks what an invalidation of TLBs concerns. What is not known yet of a translation may be anything:
// whether its page is global, how large its leaf is, which IPAs its descriptors and its output have.
func (f *flight) nameTranslations(x *invalidation) {
	for _, r := range f.list {
		if t := &r.t; t.walks() && (x.names(&t.space, false) || x.names(&t.space, true) || x.mayUse(&t.space)) &&
			t.mayLieIn(x) {
			f.name(r)
		}
	}
}

// walks reports whether a translation uses or looks for descriptors, so that its space is known.
func (t *translation) walks() bool { return t.forCD || t.configured && (t.space.one || t.space.two) }

// mayUse reports whether an invalidation by IPA may concern a space of both stages.
func (x *invalidation) mayUse(s *space) bool {
	return x.op == smmu.CMD_TLBI_S2_IPA && s.two && s.world == worldEL1 && (x.vmid^s.vmid)&x.vmidMask == 0
}

// mayLieIn reports whether the address of a translation may be one of those of an invalidation.
func (t *translation) mayLieIn(x *invalidation) bool {
	const largest = 39 // a leaf that is still being looked for
	if t.forCD || x.op == smmu.CMD_TLBI_S2_IPA && t.space.one {
		return true
	}
	leaf := uint8(largest)
	if t.phase == translated {
		leaf = t.leaf
	}
	anyLevel := *x
	anyLevel.ttl = 0
	return anyLevel.covers(t.tlbInput(), leaf)
}

// stall makes a transaction stand still, and puts its tag into its record. It answers false if too many do: then the
// transaction waits until one goes on.
func (f *flight) stall(r *Request, words *[4]uint64) bool {
	for i := range f.stalled {
		tag := (f.tag + i) % len(f.stalled)
		if f.stalled[tag] == nil {
			f.stalled[tag], f.tag = r, tag+1
			r.state, r.tag = requestStalled, uint16(tag)
			words[1] = smmu.EVT1_Stall.Put(smmu.EVT1_STAG.Put(words[1], uint64(tag)), 1)
			r.s.stats.Stalls++
			return true
		}
	}
	f.block(r)
	return false
}

// block makes a transaction wait for room: of its record, or for it to stall.
func (f *flight) block(r *Request) { r.state = requestBlocked }

// retryBlocked makes the transactions that wait for room arrive again. IHI 0070, 3.12.2.
func (f *flight) retryBlocked() {
	for _, r := range f.list {
		if r.state == requestBlocked {
			r.arrive()
		}
	}
}

// resume is CMD_RESUME: the transaction of that stream and tag goes on, or ends. IHI 0070, 4.6.1.
func (f *flight) resume(stream uint32, tag uint16, retry, abort bool) {
	if int(tag) >= len(f.stalled) || f.stalled[tag] == nil || f.stalled[tag].t.stream != stream {
		return
	}
	r := f.stalled[tag]
	f.stalled[tag] = nil
	if retry {
		r.arrive()
	} else {
		r.refuse(!abort && !r.s.spec.AbortOnly, r.s.eng.Now())
	}
	f.retryBlocked()
}

// terminateStream is CMD_STALL_TERM: what stalls, or would have, ends.
func (f *flight) terminateStream(stream uint32) {
	f.terminateIf(func(r *Request) bool { return r.t.stream == stream })
}

// terminateAll ends everything that stalls: SMMUEN is 0.
func (f *flight) terminateAll() { f.terminateIf(func(*Request) bool { return true }) }

func (f *flight) terminateIf(match func(r *Request) bool) {
	for _, r := range f.list {
		if (r.state == requestStalled || r.state == requestBlocked) && match(r) {
			if r.state == requestStalled {
				f.stalled[r.tag] = nil
			}
			r.refuse(false, r.s.eng.Now())
		}
	}
	f.retryBlocked()
}
