package host

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Sharing keeps programs that are alive together from communicating through Lua: simulated time does not order what
// they do to variables and tables, and no explorer sees it. What nobody changes, and what only one of them and code
// outside of programs uses, they may have in common.
//
// Variables and globals are decided on before anything runs, by the code of the functions. Tables, and variables behind
// functions that are found in tables, are compared with what they were: see Check.
type Sharing struct {
	host    *Host
	members []*Member
	cells   []cell // what two members reach
	active  bool   // some function may change something, or may lead to one that does
	stale   bool   // cells is to be made anew
}

// Member is one place where functions run after one another, such as a CPU.
type Member struct {
	// Name is for messages: "the program of CPU0".
	Name string

	sharing  *Sharing
	admitted []admission // that may run
	thread   *Thread     // on which one runs, nil for none
	reach    *reach      // of the functions; nil: to be found out
}

// admission is a function that may run. Borrowed are the variables in it that live on the stack of the running program
// that has handed it over.
type admission struct {
	fn       *lua.LFunction
	from     *Member
	borrowed []*lua.Upvalue
}

// cell is a piece of state that two members reach, as it was.
type cell struct {
	reach   *reach
	node    int
	members [2]*Member
	value   lua.LValue // of a variable or global; a table's metatable
	entries []entry    // of a table
}

type entry struct{ key, value lua.LValue }

// NewSharing returns a Sharing without members.
func (h *Host) NewSharing() *Sharing { return &Sharing{host: h} }

// NewMember adds a member for which nothing runs.
func (s *Sharing) NewMember(name string) *Member {
	m := &Member{Name: name, sharing: s}
	s.members = append(s.members, m)
	return m
}

// Has reports whether a function is among those that may run.
func (m *Member) Has(fn *lua.LFunction) bool {
	return slices.ContainsFunc(m.admitted, func(a admission) bool { return a.fn == fn })
}

// On says on which thread the member's functions run now, nil for none.
func (m *Member) On(t *Thread) { m.thread = t }

// Admit adds a function that may run from now on; from is the member whose running function hands it over, nil outside
// of programs. The error says what it would share.
func (m *Member) Admit(fn *lua.LFunction, from *Member) error {
	s := m.sharing
	a := admission{fn: fn, from: from}
	s.active = s.active || from != nil && from != m || !s.host.plain(fn)
	m.admitted, m.reach = append(m.admitted, a), nil
	if !s.active {
		return nil
	}
	s.stale = true
	for _, other := range s.members {
		if other == m || len(other.admitted) == 0 {
			continue
		}
		if err := conflict(m, other); err != nil {
			m.Retire(fn)
			return err
		}
	}
	if from != nil && from != m {
		m.admitted[len(m.admitted)-1].borrow()
	}
	return nil
}

// borrow finds the variables that are on a stack and that the member who hands the function over did not know when it
// began: they are its own.
func (a *admission) borrow() {
	r := a.from.sharing.host.newReach()
	r.function(a.fn)
	known := a.from.reached().index
	for i := range r.nodes {
		if uv, ok := r.nodes[i].what.(*lua.Upvalue); ok && !uv.IsClosed() {
			if _, ok := known[uv]; !ok {
				a.borrowed = append(a.borrowed, uv)
			}
		}
	}
}

// Retire takes out one admission of a function, which does not run any more.
func (m *Member) Retire(fn *lua.LFunction) {
	for i := range m.admitted {
		if m.admitted[i].fn == fn {
			m.admitted = slices.Delete(m.admitted, i, i+1)
			m.reach, m.sharing.stale = nil, m.sharing.active
			return
		}
	}
}

// several reports whether functions of two members may run.
func (s *Sharing) several() bool {
	n := 0
	for _, m := range s.members {
		if len(m.admitted) > 0 {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// plain reports whether a function can change nothing, nor lead to a function that does.
func (h *Host) plain(fn *lua.LFunction) bool {
	if fn.IsG {
		return !h.changes(fn)
	}
	u := h.usesOf(fn.Proto)
	if u.stores {
		return false
	}
	for _, uv := range fn.Upvalues {
		if !h.plainValue(uv.Value()) {
			return false
		}
	}
	for i := range u.globals {
		if !h.plainValue(h.globals.RawGetString(u.globals[i].name)) {
			return false
		}
	}
	return true
}

func (h *Host) plainValue(v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LFunction:
		return v.IsG && h.plain(v)
	case *lua.LTable:
		return api.ModuleOf(v) != nil
	case *lua.LState:
		return false
	}
	return true
}

// reached is what the member's functions reach.
func (m *Member) reached() *reach {
	if m.reach == nil {
		r := m.sharing.host.newReach()
		for i := range m.admitted {
			r.function(m.admitted[i].fn)
		}
		m.reach = r
	}
	return m.reach
}

// conflict returns an error if one member's code assigns a variable or global that the other's uses.
func conflict(a, b *Member) error {
	x, y := a.reached(), b.reached()
	for i := range x.nodes {
		u := &x.nodes[i]
		if u.read.line == 0 && u.assigned.line == 0 {
			continue
		}
		j, ok := y.index[u.what]
		if !ok {
			continue
		}
		v := &y.nodes[j]
		switch {
		case u.assigned.line != 0 && v.used().line != 0:
			return sharedError(x.describe(i), a, u.assigned, b, v.used())
		case v.assigned.line != 0:
			return sharedError(x.describe(i), b, v.assigned, a, u.used())
		}
	}
	return nil
}

// used is where a node is read, or else where it is assigned.
func (n *node) used() place {
	if n.read.line != 0 {
		return n.read
	}
	return n.assigned
}

func sharedError(what string, a *Member, assigned place, b *Member, used place) error {
	return fmt.Errorf("%s is assigned by %s (%s) and used by %s (%s)", what, a.Name, assigned, b.Name, used)
}

// Check returns an error if state that two members reach has changed since the last Refresh. What they reach by then is
// looked for again if functions have come or gone.
func (s *Sharing) Check() error {
	for i := range s.cells {
		if err := s.cells[i].changed(); err != nil {
			return err
		}
	}
	if s.stale {
		return s.Refresh()
	}
	return nil
}

// Refresh takes what the members reach now for what Check compares with. The error says what cannot be compared.
func (s *Sharing) Refresh() error {
	s.cells, s.stale = s.cells[:0], false
	if !s.active || !s.several() {
		return nil
	}
	stores := false
	for _, m := range s.members {
		m.reach = nil // tables may hold other functions by now
		if len(m.admitted) > 0 {
			stores = m.reached().stores || stores
		}
		for i := range m.admitted {
			stores = stores || len(m.admitted[i].borrowed) > 0
		}
	}
	if !stores {
		return nil
	}
	return s.collect()
}

// collect makes the cells. What the frames of a running program hold counts as reached by it.
func (s *Sharing) collect() error {
	owners, shared := map[any]*Member{}, map[any]bool{}
	for _, m := range s.members {
		if len(m.admitted) == 0 {
			continue
		}
		if m.thread != nil {
			m.reach.thread(m.thread)
		}
		for i := range m.reach.nodes {
			what := m.reach.nodes[i].what
			owner := owners[what]
			if owner == nil {
				owners[what] = m
			} else if owner != m && !shared[what] {
				shared[what] = true
				if err := s.share(m.reach, i, owner, m); err != nil {
					return err
				}
			}
		}
	}
	for _, m := range s.members {
		for i := range m.admitted {
			for _, uv := range m.admitted[i].borrowed {
				if err := s.share(m.reach, m.reach.index[uv], m.admitted[i].from, m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// share adds a cell.
func (s *Sharing) share(r *reach, node int, a, b *Member) error {
	if _, isCoroutine := r.nodes[node].what.(*lua.LState); isCoroutine {
		return fmt.Errorf("%s can be resumed by %s and by %s", r.describe(node), a.Name, b.Name)
	}
	c := cell{reach: r, node: node, members: [2]*Member{a, b}}
	c.read()
	s.cells = append(s.cells, c)
	return nil
}

// read notes what the cell holds.
func (c *cell) read() {
	switch what := c.reach.nodes[c.node].what.(type) {
	case *lua.Upvalue:
		c.value = what.Value()
	case globalName:
		c.value = c.reach.host.globals.RawGetString(string(what))
	case *lua.LTable:
		c.value, c.entries = what.Metatable, entriesOf(what)
	}
}

// entriesOf are the entries of a table in their order.
func entriesOf(t *lua.LTable) (entries []entry) {
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		entries = append(entries, entry{k, v})
	}
	return entries
}

// changed returns an error unless the cell holds what it held.
func (c *cell) changed() error {
	switch what := c.reach.nodes[c.node].what.(type) {
	case *lua.Upvalue:
		if v := what.Value(); !same(v, c.value) {
			return c.error("", c.value, v)
		}
	case globalName:
		if v := c.reach.host.globals.RawGetString(string(what)); !same(v, c.value) {
			return c.error("", c.value, v)
		}
	case *lua.LTable:
		return c.tableChanged(what)
	}
	return nil
}

func (c *cell) tableChanged(t *lua.LTable) error {
	if !same(t.Metatable, c.value) {
		return c.error("metatable", c.value, t.Metatable)
	}
	i := 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if i == len(c.entries) || !same(k, c.entries[i].key) {
			return c.error("entry "+api.Inspect(k), lua.LNil, v)
		}
		if !same(v, c.entries[i].value) {
			return c.error("entry "+api.Inspect(k), c.entries[i].value, v)
		}
		i++
	}
	if i < len(c.entries) {
		return c.error("entry "+api.Inspect(c.entries[i].key), c.entries[i].value, lua.LNil)
	}
	return nil
}

func (c *cell) error(part string, from, to lua.LValue) error {
	what := c.reach.describe(c.node)
	if part != "" {
		what = part + " of " + what
	}
	return fmt.Errorf("%s changed from %s to %s, while %s and %s can both use it", what, api.Inspect(from),
		api.Inspect(to), c.members[0].Name, c.members[1].Name)
}

// same reports whether two values are one, so that no script can tell them apart.
func same(a, b lua.LValue) bool {
	x, ok := a.(lua.LNumber)
	y, ok2 := b.(lua.LNumber)
	return a == b || ok && ok2 && x != x && y != y
}
