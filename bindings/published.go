package bindings

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/host/api"
)

// A Figure is one published measurement: the values of one case of one quantity, as a document prints them.
type Figure struct {
	Document string // the key of sources.tsv
	Quantity string
	Case     string
	Values   []float64 // one per run
	Unit     string
	Source   string // citation of the document
}

// ReadFigures reads published.tsv and sources.tsv.
func ReadFigures(data fs.FS) ([]Figure, error) {
	sources := make(map[string]string)
	err := readTSV(data, "sources.tsv", 2, func(f []string) error {
		sources[f[0]] = f[1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	var figures []Figure
	err = readTSV(data, "published.tsv", 5, func(f []string) error {
		figure := Figure{Document: f[0], Quantity: f[1], Case: f[2], Unit: f[4], Source: sources[f[0]]}
		if figure.Source == "" {
			return fmt.Errorf("sources.tsv does not list document %q", f[0])
		}
		for word := range strings.FieldsSeq(f[3]) {
			v, err := parseFigure(word)
			if err != nil {
				return err
			}
			figure.Values = append(figure.Values, v)
		}
		figures = append(figures, figure)
		return nil
	})
	return figures, err
}

// parseFigure reads a decimal number or, as some kernel code prints them, a hexadecimal integer.
func parseFigure(word string) (float64, error) {
	if hex, ok := strings.CutPrefix(word, "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 53)
		return float64(n), err
	}
	return strconv.ParseFloat(word, 64)
}

// readTSV calls row with the fields of each line that is not a comment.
func readTSV(data fs.FS, name string, columns int, row func([]string) error) error {
	text, err := fs.ReadFile(data, name)
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != columns {
			return fmt.Errorf("%s:%d: %d columns, want %d", name, number, len(fields), columns)
		}
		if err := row(fields); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return nil
}

// findFigure returns the figure of a case of a document. The quantity may be left out where the document has only one
// quantity with such a case.
func findFigure(figures []Figure, document, label, quantity string) (*Figure, error) {
	var documents, labels, quantities []string
	var found *Figure
	for i := range figures {
		f := &figures[i]
		documents = append(documents, f.Document)
		if f.Document != document || quantity != "" && f.Quantity != quantity {
			continue
		}
		labels = append(labels, f.Case)
		if f.Case == label {
			found = f
			quantities = append(quantities, f.Quantity)
		}
	}
	switch {
	case len(quantities) == 1:
		return found, nil
	case len(quantities) > 1:
		return nil, fmt.Errorf("document %s publishes case %q of several quantities; give one of: %s",
			document, label, quote(quantities))
	case len(labels) > 0:
		return nil, fmt.Errorf("document %s publishes no case %q%s", document, label, hint(label, labels))
	case slices.Contains(documents, document):
		for _, f := range figures {
			if f.Document == document {
				quantities = append(quantities, f.Quantity)
			}
		}
		return nil, fmt.Errorf("document %s publishes no quantity %q%s", document, quantity, hint(quantity, quantities))
	}
	return nil, fmt.Errorf("there are no published figures of document %q%s", document, hint(document, documents))
}

// hint names the candidate that was probably meant, or all of them.
func hint(word string, candidates []string) string {
	if s := api.Suggest(word, candidates); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return "; there is " + quote(candidates)
}

// quote lists words once each, in their order.
func quote(words []string) string {
	var quoted []string
	for _, w := range words {
		if q := strconv.Quote(w); !slices.Contains(quoted, q) {
			quoted = append(quoted, q)
		}
	}
	return strings.Join(quoted, ", ")
}
