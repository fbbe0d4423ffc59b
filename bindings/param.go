package bindings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/host/api"
)

// A ParamKind is the type of a script's parameter.
type ParamKind uint8

// The kinds of parameters.
const (
	StringParam ParamKind = iota
	IntParam
	NumberParam
	BoolParam
	ListParam
)

var paramKindNames = [...]string{
	StringParam: "string", IntParam: "integer", NumberParam: "number", BoolParam: "boolean", ListParam: "list",
}

func (k ParamKind) String() string { return paramKindNames[k] }

// A Param is a parameter that a script declares with bench.params.
type Param struct {
	Name     string
	Kind     ParamKind
	Default  any // string, int64, float64, bool or []string
	Doc      string
	Choices  []string // what a string, or an element of a list, may be; nil: anything
	Min, Max *float64 // bounds of an integer or number; nil: none
}

// maxExact bounds the integers that a Lua number holds exactly.
const maxExact = 1 << 53

// parse reads a value from the command line.
func (p *Param) parse(text string) (any, error) {
	value, err := p.convert(text)
	if err != nil {
		return nil, err
	}
	return value, p.check(value)
}

func (p *Param) convert(text string) (any, error) {
	switch p.Kind {
	case IntParam:
		// Base 0 takes 0x10 and 1_000; a leading zero alone would mean octal, which nobody means here.
		n, err := strconv.ParseInt(text, 0, 64)
		octal := len(text) > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9'
		if err != nil || n > maxExact || n < -maxExact || octal {
			return nil, p.mismatch(text)
		}
		return n, nil
	case NumberParam:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != f || f-f != 0 { // no NaN, no infinity
			return nil, p.mismatch(text)
		}
		return f, nil
	case BoolParam:
		if text != "true" && text != "false" {
			return nil, p.mismatch(text)
		}
		return text == "true", nil
	case ListParam:
		return strings.Split(text, ","), nil
	default:
		return text, nil
	}
}

func (p *Param) mismatch(text string) error {
	what := map[ParamKind]string{IntParam: "an integer", NumberParam: "a number", BoolParam: "true or false"}[p.Kind]
	return fmt.Errorf("expected %s, got %q", what, text)
}

// check holds a value of the right type against choices and bounds.
func (p *Param) check(value any) error {
	switch v := value.(type) {
	case string:
		return p.checkChoice(v)
	case []string:
		for i, element := range v {
			if element == "" {
				return fmt.Errorf("element %d of the list is empty", i+1)
			}
			if err := p.checkChoice(element); err != nil {
				return err
			}
		}
	case int64:
		return p.checkBounds(float64(v))
	case float64:
		return p.checkBounds(v)
	}
	return nil
}

func (p *Param) checkChoice(v string) error {
	if p.Choices == nil || slices.Contains(p.Choices, v) {
		return nil
	}
	err := fmt.Errorf("expected one of %s, got %q", strings.Join(p.Choices, ", "), v)
	if s := api.Suggest(v, p.Choices); s != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, s)
	}
	return err
}

func (p *Param) checkBounds(v float64) error {
	if p.Min != nil && v < *p.Min || p.Max != nil && v > *p.Max {
		return fmt.Errorf("expected %s, got %v", p.Range(), v)
	}
	return nil
}

// Range describes the kind and the bounds, as in "integer in 1..4096".
func (p *Param) Range() string {
	switch {
	case p.Min != nil && p.Max != nil:
		return fmt.Sprintf("%v in %v..%v", p.Kind, *p.Min, *p.Max)
	case p.Min != nil:
		return fmt.Sprintf("%v >= %v", p.Kind, *p.Min)
	case p.Max != nil:
		return fmt.Sprintf("%v <= %v", p.Kind, *p.Max)
	case p.Choices != nil && p.Kind == ListParam:
		return "list of " + strings.Join(p.Choices, ", ")
	case p.Choices != nil:
		return strings.Join(p.Choices, ", ")
	}
	return p.Kind.String()
}

// resolve computes the values of the declared parameters. The error is about those given by the user.
func resolve(declared []Param, given map[string]string) ([]any, error) {
	values := make([]any, len(declared))
	names := make([]string, len(declared))
	for i := range declared {
		values[i], names[i] = declared[i].Default, declared[i].Name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, unknownParam(name, names)
		}
		v, err := declared[i].parse(given[name])
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		values[i] = v
	}
	return values, nil
}

func unknownParam(name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("unknown parameter %q; the script declares none", name)
	}
	if s := api.Suggest(name, names); s != "" {
		return fmt.Errorf("unknown parameter %q; did you mean %q?", name, s)
	}
	return fmt.Errorf("unknown parameter %q; the script has %s", name, strings.Join(names, ", "))
}
