package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/gopher-lua/parse"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

var shopTopics = &api.Topics{
	Title: "Bulbs", Doc: "Kinds of bulbs.", Names: []string{"E14", "E27"},
	Find: func(name string) *api.Topic {
		if !strings.HasPrefix(name, "E") {
			return nil
		}
		return &api.Topic{
			Name: name, Doc: "A bulb.", Details: []string{"Edison screw."}, Columns: []string{"part", "meaning"},
			Rows: [][]string{{"base", "the screw, which is also one of the two contacts"}, {"glass", "the rest"}},
		}
	},
}

func shopReference() *api.Reference {
	m := *shopModule
	m.Topics = []*api.Topics{shopTopics}
	return api.NewReference([]*api.Module{&m}, nil)
}

// helpTexts are entries laid out for 40 columns.
var helpTexts = map[string]string{
	"shop.rack": `shop.rack([o])
  Makes a rack.

Arguments
  o  options (table rack; default: {})

Table rack: A rack.
  name    label (string)
  mains   supply (table mains; default:
          {})
  levels  first levels (list of integer
          in 0..9; default: none)
  pair    a pair ({string, function};
          default: none)
  id      64-bit id (u64 or integer in
          0..2^53-1; default: 0)

Table mains: The supply.
  volts  voltage in V (integer in
         110..240; default: 230)
  shape  wave form (one of "sine",
         "square"; default: sine)
`,
	"Lamp:set": `Lamp:set(level [, ms])
  Sets the level.

Arguments
  level  level (integer in 0..9)
  ms     time in ms (integer >= 1;
         default: 1)
`,
	"Lamp.mark": `Lamp:mark(value)
  Stores a 64-bit value and returns it.

Arguments
  value  value (u64 or integer in
         0..2^53-1)
`,
	"shop.light": `shop.light(lamp [, levels, ...])
  Lights a lamp.

Arguments
  lamp    which (Lamp)
  levels  levels (integer in 0..9; any
          number)
`,
	"shop.answer": `shop.answer
  integer >= 0; read-only
  42
`,
	"E27": `E27: A bulb.
  Edison screw.

  base   the screw, which is also one of
         the two contacts
  glass  the rest
`,
}

func TestHelpText(t *testing.T) {
	r := shopReference()
	for name, want := range helpTexts {
		e, ok := r.Find(name)
		if !ok {
			t.Errorf("nothing is called %s", name)
			continue
		}
		if diff := cmp.Diff(want, e.Text(40)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, want := range map[string]string{
		"shop.rak": "shop.rack", "set": "Lamp:set", "E41": "E14", "nothing of the kind": "",
	} {
		if got := r.Suggest(name); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestNarrowHelp expects help for fewer columns than it can be laid out in to be that for as many as it needs.
func TestNarrowHelp(t *testing.T) {
	r := shopReference()
	lamp, _ := r.Find("Lamp")
	for name, text := range map[string]func(width int) string{
		"an entry": lamp.Text, "the overview": r.Overview, "the reference": r.Text,
	} {
		if diff := cmp.Diff(text(30), text(5)); diff != "" {
			t.Errorf("%s (-in 30 columns +in 5):\n%s", name, diff)
		}
	}
}

// TestHelpOfValues finds the entries of values as a script holds them.
func TestHelpOfValues(t *testing.T) {
	h, err := host.New(host.Options{Modules: []*api.Module{shopModule}, Preload: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	r := shopReference()
	for expr, want := range map[string]string{
		"shop": "shop", "shop.lamp": "shop.lamp", "shop.lamp()": "Lamp", "shop.lamp().set": "Lamp:set",
		`"Lamp:set"`: "Lamp:set", "{}": "", "print": "", "5": "",
	} {
		values, err := h.Eval(t.Context(), "input", expr)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		if e, ok := r.Of(h.State(), values[0]); ok {
			name = e.Name
		}
		if name != want {
			t.Errorf("help of %s is that of %q, want %q", expr, name, want)
		}
	}
}

// TestWholeReference holds the three forms of the whole against each other: each names every entry.
func TestWholeReference(t *testing.T) {
	r := shopReference()
	text, markdown, luaLS := r.Text(80), r.Markdown("Shop", "For tests."), r.LuaLS("For tests.")
	if _, err := parse.Parse(strings.NewReader(luaLS), "shop.d.lua"); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"Sets the level.", "voltage in V", "Kinds of bulbs."} {
		if !strings.Contains(text, want) || !strings.Contains(markdown, want) {
			t.Errorf("text or Markdown lacks %q", want)
		}
	}
	for _, want := range []string{
		"---@field volts? integer voltage in V; default: 230\n",
		"---@field pair? { [1]: string, [2]: function } a pair; default: none\n",
		"---@field levels? integer[] first levels; default: none\n",
		"---@field shape? \"sine\"|\"square\" wave form; default: sine\n",
		"---@param ... integer levels\nfunction shop.light(lamp, ...) end\n",
		"---@param value u64|integer value\nfunction Lamp:mark(value) end\n",
		"---@overload fun(name: \"shop\"): lib.shop\n",
	} {
		if !strings.Contains(luaLS, want) {
			t.Errorf("the definitions lack %q:\n%s", want, luaLS)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 81 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}
