package result

import (
	"bytes"
	"fmt"
	"strings"
)

// writeStudy prints a study: what was published, what each hypothesis says of it, and what to measure.
func writeStudy(out *bytes.Buffer, b *StudyBlock) {
	s := b.Study
	varied := 0
	for c := range s.Constants {
		if s.Constants[c].Low < s.Constants[c].High {
			varied++
		}
	}
	fmt.Fprintf(out, "%s: %s, each at %s over the ranges of %s\n", s.Name,
		plural(len(b.Hypotheses), "hypothesis", "hypotheses"), plural(s.Sample, "point", "points"),
		plural(varied, "constant", "constants"))
	writeVerdicts(out, b)
	writeFigures(out, b)
	writeJudged(out, b)
	writeMoves(out, b)
	writeExperiments(out, b)
	var rows []*Row
	for h := range b.Hypotheses {
		for r := range b.Hypotheses[h].Rows {
			rows = append(rows, &b.Hypotheses[h].Rows[r])
		}
	}
	out.WriteString("\n")
	writeSources(out, rows)
	out.WriteString("excluded: the published 95 % interval has nothing in common with what was simulated, whatever the\n" +
		"constants. cannot tell: no published row excludes a rival either, or the publication does not tell its\n" +
		"rows apart.\n")
}

func writeVerdicts(out *bytes.Buffer, b *StudyBlock) {
	var rows [][]string
	for _, h := range b.Hypotheses {
		var fitted []string
		for _, f := range h.Fitted {
			c := &b.Study.Constants[b.Study.constant(f.Constant)]
			text := fmt.Sprintf("%s = %s on %s", f.Constant, c.text(f.Value), f.Row)
			if f.Low != f.High {
				text += fmt.Sprintf(" (%s to %s)", c.text(f.Low), c.text(f.High))
			}
			fitted = append(fitted, text)
		}
		text := strings.Join(fitted, ", ")
		if text == "" {
			text = "nothing"
		}
		if h.Reached < h.Sample {
			text += fmt.Sprintf("; at %d of %d points it cannot be", h.Sample-h.Reached, h.Sample)
		}
		rows = append(rows, []string{h.Name, string(h.Verdict), text})
	}
	writeGrid(out, []string{"hypothesis", "verdict", "fitted"}, rows)
}

// writeFigures prints the published rows, which are the same for all hypotheses.
func writeFigures(out *bytes.Buffer, b *StudyBlock) {
	var rows [][]string
	for _, r := range b.Hypotheses[0].Rows {
		low, high := "-", "-"
		if r.Published != nil {
			low, high = formatStat(r.Published.Low, r.Unit), formatStat(r.Published.High, r.Unit)
		}
		rows = append(rows, []string{
			r.Case, formatStat(r.Mean, r.Unit), low, high, plural(len(r.Values), "run", "runs"),
		})
	}
	if rows != nil {
		out.WriteString("\nPublished\n")
		writeGrid(out, []string{"row", "mean", "95 % from", "to", "of"}, rows)
	}
}

// writeJudged prints what each hypothesis says of each published row.
func writeJudged(out *bytes.Buffer, b *StudyBlock) {
	columns := []string{"hypothesis", "row", "simulated", "5 % from", "95 % to", "least", "most", "role", "verdict"}
	predicted := false
	var rows [][]string
	for _, h := range b.Hypotheses {
		for _, r := range h.Rows {
			cells := []string{h.Name, r.Case, formatStat(r.Simulated, r.Unit)}
			for _, x := range []*float64{r.Low, r.High, r.Least, r.Most} {
				text := "-"
				if x != nil {
					text = formatStat(*x, r.Unit)
				}
				cells = append(cells, text)
			}
			role, verdict := r.roleText(), string(r.Verdict)
			if verdict == "" {
				verdict = "-"
			}
			predicted = predicted || r.DeviationPercent != nil
			rows = append(rows, append(cells, role, verdict, formatPercent(r.DeviationPercent)))
		}
	}
	if rows == nil {
		return
	}
	if predicted {
		columns = append(columns, "deviation")
	}
	for i := range rows {
		rows[i] = rows[i][:len(columns)]
	}
	out.WriteString("\nSimulated\n")
	writeGrid(out, columns, rows)
}

// writeMoves prints which assumed constants move a row most.
func writeMoves(out *bytes.Buffer, b *StudyBlock) {
	const most = 3
	var rows [][]string
	for _, h := range b.Hypotheses {
		for _, r := range h.Rows {
			if r.Verdict == "" {
				continue
			}
			simulated := formatStat(r.Simulated, r.Unit)
			for _, m := range r.Moves[:min(len(r.Moves), most)] {
				low, high := formatStat(m.AtLow, r.Unit), formatStat(m.AtHigh, r.Unit)
				if low != simulated || high != simulated { // else it moves the row less than is shown
					rows = append(rows, []string{h.Name, r.Case, m.Constant, low, high})
				}
			}
		}
	}
	if rows != nil {
		fmt.Fprintf(out, "\nWhat moves the rows most, of what is assumed (at most %d each)\n", most)
		writeGrid(out, []string{"hypothesis", "row", "constant", "at its low end", "at its high end"}, rows)
	}
}

// writeExperiments prints what nobody has published and would separate what is left.
func writeExperiments(out *bytes.Buffer, b *StudyBlock) {
	if len(b.Experiments) == 0 {
		return
	}
	columns := []string{"row", "separates"}
	for _, v := range b.Experiments[0].Values {
		columns = append(columns, v.Hypothesis)
	}
	var rows [][]string
	for _, e := range b.Experiments {
		pairs := len(e.Values) * (len(e.Values) - 1) / 2
		cells := []string{e.Name, fmt.Sprintf("%d of %s", e.Separates, plural(pairs, "pair", "pairs"))}
		for _, v := range e.Values {
			cells = append(cells, formatSpread(v.Simulated, v.Low, v.High, e.Unit))
		}
		rows = append(rows, cells)
	}
	out.WriteString("\nTo be measured, what separates the hypotheses that are left best first\n")
	writeGrid(out, columns, rows)
}
