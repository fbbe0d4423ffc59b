package result

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// writePublished prints published figures beside simulated ones, each with its role; it prints nothing where no case
// has any.
func writePublished(out *bytes.Buffer, b *CompareBlock) {
	var rows []*Row
	for i := range b.Cases {
		if r := b.Cases[i].Published; r != nil {
			rows = append(rows, r)
		}
	}
	if rows == nil {
		return
	}
	out.WriteString("\nPublished beside simulated, means\n")
	writeRows(out, rows)
	for _, c := range b.Cases {
		if d := c.Difference; d != nil {
			writeWrapped(out, strings.Fields(fmt.Sprintf("as published, %s differs from %s by %s%s", c.Case,
				b.Cases[0].Case, formatPercent(&d.Percent), percentRange(d.Range))))
		}
	}
	writeSources(out, rows)
}

func percentRange(r *Range) string {
	if r == nil {
		return ", from single runs"
	}
	return fmt.Sprintf(" (95 %%: %s to %s)", formatPercent(&r.Low), formatPercent(&r.High))
}

// writeRows prints rows. A deviation stands beside predictions only.
func writeRows(out *bytes.Buffer, rows []*Row) {
	columns := []string{"case", "published", "95 % from", "to", "simulated"}
	bounded := slices.ContainsFunc(rows, func(r *Row) bool { return r.Least != nil })
	if bounded {
		columns = append(columns, "least", "most")
	}
	columns = append(columns, "role")
	predicted := slices.ContainsFunc(rows, func(r *Row) bool { return r.DeviationPercent != nil })
	if predicted {
		columns = append(columns, "deviation")
	}
	var cells [][]string
	for _, r := range rows {
		low, high := "-", "-"
		if r.Published != nil {
			low, high = formatStat(r.Published.Low, r.Unit), formatStat(r.Published.High, r.Unit)
		}
		line := []string{r.Case, formatStat(r.Mean, r.Unit), low, high, formatStat(r.Simulated, r.Unit)}
		switch {
		case r.Least != nil:
			line = append(line, formatStat(*r.Least, r.Unit), formatStat(*r.Most, r.Unit))
		case bounded:
			line = append(line, "-", "-")
		}
		cells = append(cells, append(line, r.roleText(), formatPercent(r.DeviationPercent))[:len(columns)])
	}
	writeGrid(out, columns, cells)
	for i, r := range rows {
		if r.Study != "" && (i == 0 || rows[i-1].Study != r.Study) {
			writeWrapped(out, strings.Fields(fmt.Sprintf("least, most, role: what study %q says under hypothesis %q", r.Study,
				r.Hypothesis)))
		}
		if r.Role == RoleUnjudged {
			writeWrapped(out, append([]string{r.Case + ":", "assumed", "and", "not", "varied", "here:"},
				strings.Fields(strings.Join(grouped(r.Assumed), ", "))...))
		}
	}
}

// roleText is a row's role, with the constant that it names, and whether an interval has the published value in it.
func (r *Row) roleText() string {
	switch {
	case r.Constant != "":
		return string(r.Role) + ": " + r.Constant
	case r.Role == RoleInterval && *r.Inside:
		return string(r.Role) + ", inside"
	case r.Role == RoleInterval:
		return string(r.Role) + ", outside"
	}
	return string(r.Role)
}

// grouped names constants of one group, which have all but the last part of their names in common, as one.
func grouped(names []string) []string {
	var groups []string
	count := map[string]int{}
	for _, name := range names {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			name = name[:dot]
		}
		if count[name]++; count[name] == 1 {
			groups = append(groups, name)
		}
	}
	for i, name := range groups {
		if !slices.Contains(names, name) {
			groups[i] = fmt.Sprintf("%s (%d)", name, count[name])
		}
	}
	return groups
}

func writeSources(out *bytes.Buffer, rows []*Row) {
	var sources []string
	for _, r := range rows {
		if !slices.Contains(sources, r.Source) {
			sources = append(sources, r.Source)
			writeWrapped(out, append([]string{"source:"}, strings.Fields(r.Source)...))
		}
	}
}

// fields lists the numbers of a row under their JSON names, without those that are not known.
func (r *Row) fields() []statField {
	fs := []statField{{"mean", r.Mean}}
	if r.Published != nil {
		fs = append(fs, statField{"published_low", r.Published.Low}, statField{"published_high", r.Published.High})
	}
	fs = append(fs, statField{"simulated", r.Simulated})
	for _, f := range []struct {
		name  string
		value *float64
	}{
		{"low", r.Low}, {"high", r.High}, {"least", r.Least}, {"most", r.Most},
		{"deviation_percent", r.DeviationPercent},
	} {
		if f.value != nil {
			fs = append(fs, statField{f.name, *f.value})
		}
	}
	return fs
}
