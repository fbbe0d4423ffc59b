package machine

// presets are the built-in machines.
var presets = [...]struct {
	name string
	spec func() Spec
}{
	{"arm80", arm80},
	{"hi1616", hi1616},
	{"kunpeng920", kunpeng920},
	{"qdf2400", qdf2400},
	{"virt", virt},
}

// Presets are the names of the built-in machines.
func Presets() []string {
	names := make([]string, len(presets))
	for i := range presets {
		names[i] = presets[i].name
	}
	return names
}

// Preset is a fresh copy of a built-in machine's Spec; false if there is none of that name.
func Preset(name string) (Spec, bool) {
	for i := range presets {
		if presets[i].name == name {
			return presets[i].spec(), true
		}
	}
	return Spec{}, false
}
