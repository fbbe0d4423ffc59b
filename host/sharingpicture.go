package host

import (
	"fmt"
	"math"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Picture is the shape and the contents of the Lua state that functions reach, without the identity of its tables and
// functions: what is built twice by the same code looks the same.
type Picture struct {
	host      *Host
	entry     bool
	first     []uint64
	functions map[*lua.LFunction]uint64 // numbers of functions in Go
}

// NewPicture returns a picture that the first Same takes. With entry it is of what functions find when they are called:
// not of the variables and globals that they assign before they read them.
func (h *Host) NewPicture(entry bool) *Picture {
	return &Picture{host: h, entry: entry, functions: map[*lua.LFunction]uint64{}}
}

// Same returns an error if what the members' functions and some others reach does not look as at the first call. A nil
// Sharing has no members.
func (p *Picture) Same(s *Sharing, others ...*lua.LFunction) error {
	r := p.host.newReach()
	r.entry = p.entry
	for _, fn := range others {
		r.function(fn)
	}
	roots := hash(hashStart)
	var members []*Member
	if s != nil {
		members = s.members
	}
	for i, m := range members {
		for j := range m.admitted {
			r.function(m.admitted[j].fn)
			roots.add(uint64(i))
			p.value(&roots, r, m.admitted[j].fn)
		}
	}
	seen := make([]uint64, 0, len(r.nodes)+1)
	for i := range r.nodes {
		seen = append(seen, p.node(r, i))
	}
	seen = append(seen, uint64(roots))
	if p.first == nil {
		p.first = seen
		return nil
	}
	for i := range r.nodes {
		if i >= len(p.first)-1 || seen[i] != p.first[i] {
			return fmt.Errorf("%s is not what it was", r.describe(i))
		}
	}
	if len(seen) != len(p.first) || seen[len(seen)-1] != p.first[len(seen)-1] {
		return fmt.Errorf("the functions that run are not what they were")
	}
	return nil
}

// Stores reports whether functions can change something that outlives their call.
func (h *Host) Stores(functions ...*lua.LFunction) bool {
	r := h.newReach()
	for _, fn := range functions {
		r.function(fn)
	}
	return r.stores
}

// node is the contents of a piece of state.
func (p *Picture) node(r *reach, i int) uint64 {
	h := hash(hashStart)
	switch what := r.nodes[i].what.(type) {
	case *lua.Upvalue:
		h.add(1)
		p.value(&h, r, what.Value())
	case globalName:
		h.add(2)
		h.text(string(what))
		p.value(&h, r, r.host.globals.RawGetString(string(what)))
	case *lua.LTable:
		h.add(3)
		if api.ModuleOf(what) != nil {
			break
		}
		p.value(&h, r, what.Metatable)
		for k, v := what.Next(lua.LNil); k != lua.LNil; k, v = what.Next(k) {
			p.value(&h, r, k)
			p.value(&h, r, v)
		}
	case *lua.LState:
		h.add(4)
		h.text(r.host.state.Status(what))
		eachFrame(what, func(fn *lua.LFunction, line int, held []lua.LValue) {
			p.value(&h, r, fn)
			h.add(uint64(line))
			for _, v := range held {
				p.value(&h, r, v)
			}
		})
	}
	return uint64(h)
}

// value adds a value; for one that holds state, which piece it is.
func (p *Picture) value(h *hash, r *reach, v lua.LValue) {
	h.add(uint64(v.Type()))
	switch v := v.(type) {
	case lua.LBool:
		if v {
			h.add(1)
		}
	case lua.LNumber:
		h.add(math.Float64bits(float64(v)))
	case *lua.LFunction:
		p.function(h, r, v)
	case *lua.LTable, *lua.LState:
		h.add(uint64(r.index[v]))
	default: // strings, and objects by what they show
		h.text(api.ToString(v))
	}
}

func (p *Picture) function(h *hash, r *reach, fn *lua.LFunction) {
	if fn.IsG && len(fn.Upvalues) == 0 {
		if p.functions[fn] == 0 {
			p.functions[fn] = uint64(len(p.functions) + 1)
		}
		h.add(p.functions[fn])
		return
	}
	if !fn.IsG {
		h.text(fn.Proto.SourceName)
		h.add(uint64(fn.Proto.LineDefined))
		h.add(uint64(len(fn.Proto.Code)))
	}
	for _, uv := range fn.Upvalues {
		h.add(uint64(r.index[uv]))
	}
}

// hash is FNV-1a by words.
type hash uint64

const hashStart hash = 0xcbf29ce484222325

func (h *hash) add(v uint64) {
	for range 8 {
		*h = (*h ^ hash(v&0xff)) * 0x100000001b3
		v >>= 8
	}
}

func (h *hash) text(s string) {
	h.add(uint64(len(s)))
	for i := range len(s) {
		*h = (*h ^ hash(s[i])) * 0x100000001b3
	}
}
