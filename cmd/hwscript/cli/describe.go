package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
	"github.com/hwscript/hwscript/scripts"
)

// describe prints what a script is about and its parameters. It runs the script up to bench.params.
func (a *app) describe(name string) error {
	s, err := a.loadScript(name)
	if err != nil {
		return err
	}
	session := &bindings.Session{Report: new(result.Report), DescribeOnly: true}
	if session.Figures, err = bindings.ReadFigures(scripts.Data()); err != nil {
		return err
	}
	h, err := bindings.NewHost(session, host.Options{Seed: 1, FS: s.files, Dir: s.dir, Preload: s.inline})
	if err != nil {
		return err
	}
	defer h.Close()
	if err := h.Run(a.ctx, s.name, s.text); err != nil && !errors.Is(err, bindings.ErrDescribed) {
		return err
	}
	params, _ := session.Declared()
	_, err = io.WriteString(a.stdout, description(s, params))
	return err
}

// description is what run SCRIPT --help prints.
func description(s script, params []bindings.Param) string {
	var out strings.Builder
	out.WriteString(s.name + "\n")
	if summary := scripts.Summary([]byte(s.text)); summary != "" {
		out.WriteString(summary + "\n")
	}
	if len(params) == 0 {
		return out.String() + "\nThe script declares no parameters.\n"
	}
	out.WriteString("\nParameters (-p NAME=VALUE):\n")
	var rows strings.Builder
	grid := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	for _, p := range params {
		value := result.Param{Name: p.Name, Value: p.Default}
		fmt.Fprintf(grid, "  %s\t%s\t%s\t%s\n", p.Name, value, p.Range(), p.Doc)
	}
	grid.Flush()
	for row := range strings.Lines(rows.String()) {
		out.WriteString(strings.TrimRight(row, " \n") + "\n") // where there is no doc, the grid leaves spaces
	}
	return out.String()
}
