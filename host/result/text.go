package result

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A TextWriter writes a report for a human to read: what the script prints, and each block as it is declared, with
// an empty line between the two kinds. Before the first block it names the script, the seed and the parameters.
type TextWriter struct {
	w      io.Writer
	report *Report
	last   textKind
	headed bool
}

type textKind uint8

const (
	nothing textKind = iota
	printed          // lines of the script, or notes
	framed           // a comparison or a table
)

// NewTextWriter returns a writer of the text form of report, whose blocks the caller hands to Block.
func NewTextWriter(w io.Writer, report *Report) *TextWriter {
	return &TextWriter{w: w, report: report}
}

// Write passes on what the script prints.
func (t *TextWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if t.last == framed && p[0] != '\n' {
		if _, err := io.WriteString(t.w, "\n"); err != nil {
			return 0, err
		}
	}
	t.last = printed
	return t.w.Write(p)
}

// Block writes one block.
func (t *TextWriter) Block(b Block) error {
	if _, ok := b.(picture); ok {
		return nil // see WriteSVG
	}
	if note, ok := b.(Note); ok {
		_, err := io.WriteString(t, string(note)+"\n")
		return err
	}
	var out bytes.Buffer
	if t.last != nothing {
		out.WriteByte('\n')
	}
	if !t.headed {
		t.headed = true
		writeHead(&out, t.report)
		out.WriteByte('\n')
	}
	switch b := b.(type) {
	case *CompareBlock:
		writeCompare(&out, b)
	case *StudyBlock:
		writeStudy(&out, b)
	case *Table:
		writeTable(&out, b)
	}
	t.last = framed
	_, err := t.w.Write(out.Bytes())
	return err
}

// writeHead says what was run; the seed and the parameters make the output reproducible.
func writeHead(out *bytes.Buffer, r *Report) {
	fmt.Fprintf(out, "%s, seed %d\n", r.Script, r.Seed)
	if len(r.Params) == 0 {
		return
	}
	words := []string{""}
	for _, p := range r.Params {
		words = append(words, p.Name+"="+p.String())
	}
	out.WriteByte(' ')
	writeWrapped(out, words)
}

func writeTable(out *bytes.Buffer, t *Table) {
	if t.Title != "" {
		out.WriteString(t.Title + "\n")
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, cell := range row {
			rows[i] = append(rows[i], formatCell(cell))
		}
	}
	writeGrid(out, t.Columns, wrapped(t.Columns, rows))
}

// Text is the table as a text writer writes it.
func (t *Table) Text() string {
	var out bytes.Buffer
	writeTable(&out, t)
	return out.String()
}

// The most columns of a table, and the least of one of its columns whose cells are wrapped for that.
const (
	tableColumns = 100
	cellColumns  = 12
)

// wrapped breaks the long cells of a table that would be too wide: the widest columns give way.
func wrapped(columns []string, rows [][]string) [][]string {
	width, total := make([]int, len(columns)), -2
	for i, c := range columns {
		width[i] = utf8.RuneCountInString(c)
		for _, row := range rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
		total += width[i] + 2
	}
	for ; total > tableColumns; total-- {
		widest := 0
		for i := range width {
			if width[i] > width[widest] {
				widest = i
			}
		}
		if width[widest] <= cellColumns {
			break
		}
		width[widest]--
	}
	var list [][]string
	for _, row := range rows {
		cells, lines := make([][]string, len(row)), 1
		for i, c := range row {
			cells[i] = breakWords(c, width[i])
			lines = max(lines, len(cells[i]))
		}
		for k := range lines {
			line := make([]string, len(row))
			for i := range row {
				if k < len(cells[i]) {
					line[i] = cells[i][k]
				}
			}
			list = append(list, line)
		}
	}
	return list
}

// breakWords breaks a text into lines of a width, between words where it can.
func breakWords(text string, width int) (lines []string) {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) <= width {
			line += " " + w
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		runes := []rune(w)
		for len(runes) > width {
			lines = append(lines, string(runes[:width]))
			runes = runes[width:]
		}
		line = string(runes)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// writeCompare prints the cases, then the published figures beside the simulated ones.
func writeCompare(out *bytes.Buffer, b *CompareBlock) {
	fmt.Fprintf(out, "%s: %s\n", b.Name, plural(len(b.Cases[0].Values), "run of each case", "runs of each case"))
	columns := []string{"case", "mean", "median", "low", "high"}
	several, tested := len(b.Cases) > 1, false
	for _, c := range b.Cases {
		tested = tested || c.Comparison != nil && c.Comparison.P != nil
	}
	if several {
		columns = append(columns, "delta")
	}
	if tested {
		columns = append(columns, "p")
	}
	var rows [][]string
	for _, c := range b.Cases {
		row := []string{c.Case}
		for _, x := range []float64{c.Mean, c.Median, c.Low, c.High} {
			row = append(row, formatStat(x, b.Unit))
		}
		delta, p := "-", "-"
		if c.Comparison != nil {
			delta = formatPercent(c.Comparison.DeltaPercent)
			if x := c.Comparison.P; x != nil {
				p = fmt.Sprintf("%.3g", *x)
			}
		}
		rows = append(rows, append(row, delta, p)[:len(columns)])
	}
	writeGrid(out, columns, rows)
	writePublished(out, b)
	base := b.Cases[0].Case
	switch {
	case tested:
		fmt.Fprintf(out, "\ndelta: change of the mean against %s. p: U test against %s; it describes the\n"+
			"simulation, whose noise is the modelled jitter.\n", base, base)
	case several:
		fmt.Fprintf(out, "\ndelta: change of the mean against %s. p is left out below %d runs.\n", base, MinRunsForP)
	}
}

// writeWrapped prints words in lines of up to 100 columns, all but the first indented.
func writeWrapped(out *bytes.Buffer, words []string) {
	column := 0
	for i, w := range words {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case column+1+n > 100:
			out.WriteString("\n ")
			column = 1
			fallthrough
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(w)
		column += n
	}
	out.WriteByte('\n')
}

// writeGrid prints columns two spaces apart. Columns of quantities are set to the right, the others to the left.
func writeGrid(out *bytes.Buffer, columns []string, rows [][]string) {
	width := make([]int, len(columns))
	right := make([]bool, len(columns))
	for i, c := range columns {
		width[i] = utf8.RuneCountInString(c)
		right[i] = len(rows) > 0
		for _, row := range rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
			// A label may begin with a number ("7 stores"): the first column holds quantities if there is nothing else.
			right[i] = right[i] && isQuantity(row[i]) && (i > 0 || !strings.Contains(row[i], " "))
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		for i, c := range cells {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if right[i] {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	line(columns)
	for _, row := range rows {
		line(row)
	}
}

// isQuantity reports whether a cell is a number, with or without sign and unit, or stands for a missing one.
func isQuantity(s string) bool {
	if s == "" || s == "-" {
		return true
	}
	s = strings.TrimLeft(s, "+-")
	return s != "" && '0' <= s[0] && s[0] <= '9'
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
