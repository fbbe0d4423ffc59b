package result

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteJSON writes the report as one JSON object, indented, with a stable order of everything.
func (r *Report) WriteJSON(w io.Writer) error {
	out := *r
	out.Format = Version
	out.Results = notNil(out.Results)
	out.Comparisons = notNil(out.Comparisons)
	out.Published = notNil(out.Published)
	out.Hypotheses, out.Experiments = notNil(out.Hypotheses), notNil(out.Experiments)
	out.Tables = make([]Table, len(r.Tables))
	for i, t := range r.Tables {
		out.Tables[i] = Table{t.Title, notNil(t.Columns), notNil(t.Rows)}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// notNil turns "nothing" into an empty list, so that readers need no special case for null.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// WriteCSV writes the report as one table of seven columns, kind,name,case,unit,index,field,value: whatever the
// script declares, the columns are the same. A kind is script, param, result (one row per run, index from 1),
// comparison (one row per statistic), published, hypothesis (one row per number of each of its rows), experiment (one
// row per hypothesis), or table (one row per cell, index is the table's row).
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := func(kind, name, label, unit string, index int, field, value string) {
		i := ""
		if index > 0 {
			i = strconv.Itoa(index)
		}
		out.Write([]string{kind, name, label, unit, i, field, value}) // out.Error reports what failed
	}
	out.Write([]string{"kind", "name", "case", "unit", "index", "field", "value"})
	row("script", "", "", "", 0, "script", r.Script)
	row("script", "", "", "", 0, "seed", strconv.FormatUint(r.Seed, 10))
	for _, p := range r.Params {
		row("param", "", "", "", 0, p.Name, p.String())
	}
	for _, res := range r.Results {
		for i, v := range res.Values {
			row("result", res.Name, res.Case, res.Unit, i+1, "value", strconv.FormatUint(v, 10))
		}
	}
	for _, c := range r.Comparisons {
		row("comparison", c.Name, c.Case, c.Unit, 0, "base", c.Base)
		for _, f := range c.fields() {
			row("comparison", c.Name, c.Case, c.Unit, 0, f.name, formatCell(f.value))
		}
	}
	for _, p := range r.Published {
		for i, v := range p.Values {
			row("published", p.Name, p.Case, p.Unit, i+1, "value", strconv.FormatFloat(v, 'f', -1, 64))
		}
		row("published", p.Name, p.Case, p.Unit, 0, "source", p.Source)
		row("published", p.Name, p.Case, p.Unit, 0, "role", string(p.Role))
		if p.Constant != "" {
			row("published", p.Name, p.Case, p.Unit, 0, "constant", p.Constant)
		}
		for _, f := range p.fields() {
			row("published", p.Name, p.Case, p.Unit, 0, f.name, formatCell(f.value))
		}
	}
	r.writeStudies(row)
	for _, t := range r.Tables {
		for i, cells := range t.Rows {
			for j, cell := range cells {
				row("table", t.Title, "", "", i+1, t.Columns[j], formatCell(cell))
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeStudies writes what stands in CSV of hypotheses and experiments.
func (r *Report) writeStudies(row func(kind, name, label, unit string, index int, field, value string)) {
	for _, h := range r.Hypotheses {
		name := h.Study + ": " + h.Name
		row("hypothesis", name, "", "", 0, "verdict", string(h.Verdict))
		for _, f := range h.Fitted {
			row("hypothesis", name, f.Row, f.Unit, 0, f.Constant, strconv.FormatInt(f.Value, 10))
		}
		for _, p := range h.Rows {
			row("hypothesis", name, p.Case, p.Unit, 0, "role", string(p.Role))
			row("hypothesis", name, p.Case, p.Unit, 0, "verdict", string(p.Verdict))
			for _, f := range p.fields() {
				row("hypothesis", name, p.Case, p.Unit, 0, f.name, formatCell(f.value))
			}
		}
	}
	for i, e := range r.Experiments {
		for _, v := range e.Values {
			for _, f := range []statField{{"simulated", v.Simulated}, {"low", v.Low}, {"high", v.High}} {
				row("experiment", e.Study, e.Name, e.Unit, i+1, v.Hypothesis+": "+f.name, formatCell(f.value))
			}
		}
	}
}

type statField struct {
	name  string
	value float64
}

// fields lists the statistics under their JSON names, without those that are undefined.
func (c Comparison) fields() []statField {
	fs := []statField{{"base_mean", c.BaseMean}, {"mean", c.Mean}}
	if c.DeltaPercent != nil {
		fs = append(fs, statField{"delta_percent", *c.DeltaPercent})
	}
	fs = append(fs, statField{"median", c.Median}, statField{"low", c.Low}, statField{"high", c.High})
	if c.P != nil {
		fs = append(fs, statField{"p", *c.P})
	}
	return fs
}

// WriteBenchfmt writes the simulated values in the Go benchmark format (golang.org/design/14313-benchmark-format),
// one line per run, so that benchstat reads them: "benchstat -col /case FILE" compares the cases. Units are
// prefixed with "sim-", because they are not times of the machine on which the simulator ran.
func (r *Report) WriteBenchfmt(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "script: %s\nseed: %d\n", oneLine(r.Script), r.Seed)
	for _, p := range r.Params {
		fmt.Fprintf(&out, "%s: %s\n", p.Name, oneLine(p.String()))
	}
	if len(r.Results) > 0 {
		out.WriteByte('\n')
	}
	seen := make(map[string]bool)
	for _, res := range r.Results {
		name := benchName(res.Name, res.Case)
		// Distinct labels may become equal when rewritten; package testing tells such names apart in the same way.
		for base, n := name, 1; seen[name]; n++ {
			name = fmt.Sprintf("%s#%02d", base, n)
		}
		seen[name] = true
		for _, v := range res.Values {
			fmt.Fprintf(&out, "%s 1 %d sim-%s\n", name, v, strings.Join(strings.Fields(res.Unit), "_"))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// benchName makes a benchmark's name. Readers split it at spaces and slashes, and take digits after a final dash
// for GOMAXPROCS, so those become underscores.
func benchName(name, label string) string {
	plain := func(s string) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsSpace(c) || c == '/' {
				return '_'
			}
			return c
		}, s)
	}
	base := []rune(plain(name))
	base[0] = unicode.ToUpper(base[0])
	full := "Benchmark" + string(base) + "/case=" + plain(label)
	digits := len(full) - len(strings.TrimRight(full, "0123456789"))
	if dash := len(full) - digits - 1; digits > 0 && full[dash] == '-' {
		full = full[:dash] + "_" + full[dash+1:]
	}
	return full
}
