package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Param is a parameter of the script and its value: bool, int64, float64, string or []string.
type Param struct {
	Name  string
	Value any
}

// String prints the value as it is written on the command line.
func (p Param) String() string {
	switch v := p.Value.(type) {
	case []string:
		return strings.Join(v, ",")
	case float64:
		return fmt.Sprintf("%v", v)
	default:
		return fmt.Sprint(v)
	}
}

// Params are the parameters in the order in which the script declares them.
type Params []Param

// String is the parameters as on the command line, one a line.
func (ps Params) String() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Name + "=" + p.String()
	}
	return strings.Join(lines, "\n")
}

// MarshalJSON writes an object that keeps the order.
func (ps Params) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := enc.Encode(p.Name); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := enc.Encode(p.Value); err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
