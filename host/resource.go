package host

import (
	"runtime"
	"slices"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

// resources are what modules made and the collector cannot free, such as machines with coroutines. Each belongs to an
// object that scripts hold, and is given up after that.
type resources struct {
	held []*resource

	mu      sync.Mutex
	dropped []*resource // whose objects are gone: what the collector has told, on a goroutine of its own
}

// resource is nil inside once it has been given up.
type resource struct{ close func() bool }

// CloseWith makes the host call close some time after scripts have dropped the object, or in Close at the latest, in
// the reverse order of the calls of CloseWith. It is called between instructions of a script or of another object's
// program; where it cannot be done then, it returns false, and is called again. It must not refer to the object.
func (h *Host) CloseWith(object *lua.LUserData, close func() bool) {
	h.sweep()
	r := &resource{close}
	h.resources.held = append(h.resources.held, r)
	runtime.AddCleanup(object, h.resources.drop, r)
}

func (r *resources) drop(x *resource) {
	r.mu.Lock()
	r.dropped = append(r.dropped, x)
	r.mu.Unlock()
}

// sweep closes what was dropped.
func (h *Host) sweep() {
	r := h.resources
	r.mu.Lock()
	dropped := r.dropped
	r.dropped = nil
	r.mu.Unlock()
	if len(dropped) == 0 {
		return
	}
	for _, x := range dropped {
		if x.close == nil {
			continue // the host has closed it
		}
		if x.close() {
			x.close = nil
		} else {
			r.drop(x)
		}
	}
	r.held = slices.DeleteFunc(r.held, func(x *resource) bool { return x.close == nil })
}

// closeAll closes everything that is still held.
func (r *resources) closeAll() {
	for _, x := range slices.Backward(r.held) {
		x.close()
		x.close = nil
	}
	r.held = nil
}
