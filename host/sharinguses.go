package host

import lua "github.com/yuin/gopher-lua"

// protoUses is what the code of a function, and of those inside it, does with the variables and globals outside of it.
type protoUses struct {
	variables []codeUse // by the number of the upvalue
	globals   []globalUse
	stores    bool // it may change something that outlives a call
}

// codeUse holds the first lines that read and that assign; 0 is none.
type codeUse struct {
	read, assigned int
}

type globalUse struct {
	name string
	codeUse
}

func (u *codeUse) add(v codeUse) {
	if u.read == 0 {
		u.read = v.read
	}
	if u.assigned == 0 {
		u.assigned = v.assigned
	}
}

// mostProtos bounds the functions whose uses are kept: load makes as many as a script likes.
const mostProtos = 4096

// usesOf returns what the code of a function uses.
func (h *Host) usesOf(proto *lua.FunctionProto) *protoUses {
	if u := h.uses[proto]; u != nil {
		return u
	}
	u := &protoUses{variables: make([]codeUse, len(proto.DbgUpvalues))}
	code := proto.Code
	for pc := 0; pc < len(code); pc++ {
		line := proto.DbgSourcePositions[pc]
		switch op, _, b, _, bx := operands(code[pc]); op {
		case lua.OP_GETUPVAL:
			u.variables[b].add(codeUse{read: line})
		case lua.OP_SETUPVAL:
			u.stores = true
			u.variables[b].add(codeUse{assigned: line})
		case lua.OP_GETGLOBAL:
			u.global(proto.Constants[bx].String(), codeUse{read: line})
		case lua.OP_SETGLOBAL:
			u.stores = true
			u.global(proto.Constants[bx].String(), codeUse{assigned: line})
		case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			u.stores = true
		case lua.OP_CLOSURE:
			inner := proto.FunctionPrototypes[bx]
			captures := code[pc+1 : pc+1+int(inner.NumUpvalues)]
			u.inside(h.usesOf(inner), captures)
			pc += len(captures) // they say what is captured, and are not executed
		}
	}
	if len(h.uses) >= mostProtos {
		clear(h.uses)
	}
	h.uses[proto] = u
	return u
}

// inside adds the uses of a function that the code makes, whose variables it captures as the instructions say.
func (u *protoUses) inside(inner *protoUses, captures []uint32) {
	u.stores = u.stores || inner.stores
	for i, inst := range captures {
		if op, _, b, _, _ := operands(inst); op == lua.OP_GETUPVAL { // else it is a variable of the code itself
			u.variables[b].add(inner.variables[i])
		}
	}
	for _, g := range inner.globals {
		u.global(g.name, g.codeUse)
	}
}

func (u *protoUses) global(name string, use codeUse) {
	for i := range u.globals {
		if u.globals[i].name == name {
			u.globals[i].add(use)
			return
		}
	}
	u.globals = append(u.globals, globalUse{name, use})
}
