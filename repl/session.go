package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// session is what inputs act on.
type session struct {
	o     Options
	host  *host.Host
	width func() int // columns to print in
	now   func() time.Time
	saved []savedInput  // what was successful
	took  time.Duration // by the last input, of the host's time
}

// input is what the user has entered: lines that may be a whole chunk.
type input struct {
	name string // what errors call it
	line int    // the number of its first line
	text string

	pasted bool // several lines came at once
}

// source is the text with its first line at the right number.
func (in input) source() string { return strings.Repeat("\n", max(0, in.line-1)) + in.text }

// begin makes the host and does what comes before the first input.
func (s *session) begin(ctx context.Context) (err error) {
	s.saved = nil
	if s.host, err = s.o.Host(); err != nil {
		return err
	}
	s.host.EnableHelp(s.width, commandHelp)
	if s.o.Start == nil {
		return nil
	}
	return s.o.Start(ctx, s.host)
}

// enter handles an input. The error is a *host.SyntaxError with Incomplete set if more lines are needed, errQuit if the
// session is to end.
func (s *session) enter(ctx context.Context, in input) error {
	ctx, cancel := s.o.Bound(ctx)
	defer cancel()
	text := strings.TrimSpace(in.text)
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(text, ":"):
		return s.command(ctx, text)
	case strings.HasPrefix(text, "?"):
		return s.help(ctx, in.name, strings.TrimSpace(text[1:]))
	case strings.HasPrefix(text, "="):
		// The interpreter of Lua 5.1 prints an expression after an equals sign.
		in.text = strings.Replace(in.text, "=", "return ", 1)
	}
	units, err := s.compile(in)
	if err != nil {
		return err
	}
	start := s.now()
	defer func() { s.took = s.now().Sub(start) }()
	var failures failureCount
	for _, u := range units {
		if err := failures.but(s.evaluate(ctx, u)); err != nil {
			return err
		}
	}
	return failures.err()
}

// unit is a compiled input, or a part of one.
type unit struct {
	text     string
	compiled *host.Input
}

// compile makes the units of an input. Lines that were pasted are several if each begins on a line of its own, as if
// they had been typed one after another; otherwise they are one.
func (s *session) compile(in input) ([]unit, error) {
	if in.pasted {
		if units := s.split(in); units != nil {
			return units, nil
		}
	}
	compiled, err := s.host.Input(in.name, in.source())
	if err != nil {
		return nil, err
	}
	return []unit{{in.text, compiled}}, nil
}

// split compiles lines as they come; nil if that leaves some that are no Lua.
func (s *session) split(in input) []unit {
	lines := strings.SplitAfter(strings.TrimRight(in.text, "\n"), "\n")
	var units []unit
	part := input{name: in.name, line: in.line}
	for i, line := range lines {
		part.text += line
		compiled, err := s.host.Input(part.name, part.source())
		switch {
		case asIncomplete(err) != nil && i < len(lines)-1:
			continue
		case err != nil:
			return nil
		}
		units = append(units, unit{part.text, compiled})
		part.text, part.line = "", in.line+i+1
	}
	return units
}

// evaluate runs a unit and prints its values.
func (s *session) evaluate(ctx context.Context, u unit) error {
	values, err := u.compiled.Run(ctx)
	var failed *host.FailedError
	if err == nil || errors.As(err, &failed) {
		s.saved = append(s.saved, savedInput{u.text, u.compiled.Expression})
	}
	if len(values) > 0 {
		if _, printErr := fmt.Fprintln(s.o.Out, api.Pretty(s.width(), values...)); printErr != nil && err == nil {
			err = printErr
		}
	}
	return err
}

// help handles ?topic: a name that the reference knows, or an expression.
func (s *session) help(ctx context.Context, name, topic string) error {
	source := fmt.Sprintf("help(%s)", topic)
	if _, known := s.host.Reference().Find(topic); known {
		source = fmt.Sprintf("help(%q)", topic)
	}
	in, err := s.host.Input(name, source)
	if err != nil {
		return fmt.Errorf("%s: ? takes a name or an expression", name)
	}
	_, err = in.Run(ctx)
	return err
}
