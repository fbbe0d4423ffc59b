package repl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// A command is an input that begins with a colon, which no Lua statement does.
type command struct {
	name string
	arg  string // "" if it takes none
	file bool   // arg is a file name
	doc  string
	run  func(s *session, ctx context.Context, arg string) error
}

var commands []*command

func init() { // the commands find each other here
	commands = []*command{
		{":help", "[TOPIC]", false, "the same as help() and ?TOPIC", (*session).helpCommand},
		{":load", "FILE", true, "run a script; its globals stay", (*session).load},
		{":quit", "", false, "leave, as Ctrl-D does", (*session).quit},
		{":reset", "", false, "begin again: drop all globals and machines", (*session).reset},
		{":save", "FILE", true, "write the successful input as a script", (*session).save},
		{":time", "[CODE]", false, "how long the last input or CODE took, and the machines' times", (*session).time},
	}
	commandHelp = describeCommands()
}

// commandHelp is what help() says of the session itself.
var commandHelp string

func describeCommands() string {
	var b strings.Builder
	b.WriteString("\nIn this session\n")
	row := func(name, text string) { fmt.Fprintf(&b, "  %-14s  %s\n", name, text) }
	row("help(x), ?x", "about a value, a name or a register")
	for _, c := range commands {
		row(strings.TrimSpace(c.name+" "+c.arg), c.doc)
	}
	row("Tab", "complete; again to list")
	row("Ctrl-C", "clear the line, or stop a run; m:continue() goes on")
	row("Ctrl-D", "leave")
	return b.String()
}

func findCommand(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

// errQuit ends the session.
var errQuit = errors.New("quit")

// command handles an input that begins with a colon.
func (s *session) command(ctx context.Context, text string) error {
	name, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	c := findCommand(name)
	switch {
	case c == nil:
		names := make([]string, len(commands))
		for i := range commands {
			names[i] = commands[i].name
		}
		if near := api.Suggest(name, names); near != "" {
			return fmt.Errorf("no command %s; did you mean %s?", name, near)
		}
		return fmt.Errorf("no command %s; there is %s", name, strings.Join(names, ", "))
	case c.arg == "" && arg != "":
		return fmt.Errorf("%s takes no argument", name)
	case c.file && arg == "":
		return fmt.Errorf("%s: which file?", name)
	}
	return c.run(s, ctx, arg)
}

func (s *session) helpCommand(ctx context.Context, topic string) error {
	return s.help(ctx, ":help", topic)
}

func (s *session) quit(context.Context, string) error { return errQuit }

func (s *session) reset(ctx context.Context, _ string) error { return s.begin(ctx) }

func (s *session) load(ctx context.Context, name string) error {
	text, err := host.ReadSource(name)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("cannot read %s: %w", name, err)
	}
	start := s.now()
	err = s.host.Run(ctx, filepath.ToSlash(name), text)
	s.took = s.now().Sub(start)
	if err == nil {
		s.saved = append(s.saved, savedInput{text: text})
	}
	return err
}

// time prints how long code, or the last input, has taken the host, and what the machines' clocks show.
func (s *session) time(ctx context.Context, code string) error {
	if code != "" {
		if err := s.enter(ctx, input{name: ":time", text: code}); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.o.Out, "%s of real time\n", s.took.Round(10*time.Microsecond))
	names := s.host.GlobalNames()
	sort.Strings(names)
	for _, name := range names {
		v := s.host.Global(name)
		if api.ShapeOf(s.host.State(), v).Method("now") != nil { // it lives in simulated time
			fmt.Fprintf(s.o.Out, "%s: %s\n", name, api.Inspect(v))
		}
	}
	return nil
}

// savedInput is an input that was successful.
type savedInput struct {
	text       string
	expression bool // whose values were printed
}

// script is the input as a part of a script.
func (in savedInput) script() string {
	text := strings.TrimRight(in.text, "\n")
	if in.expression {
		return "print(" + strings.TrimSpace(text) + ")"
	}
	return text
}

// save writes the successful input as a script that requires the modules which it uses.
func (s *session) save(_ context.Context, name string) error {
	var body strings.Builder
	for _, in := range s.saved {
		if calls := lex(in.text); len(calls) > 0 && calls[0].text == "help" {
			continue // for people only
		}
		body.WriteString(in.script() + "\n")
	}
	used := map[string]bool{}
	tokens := lex(body.String())
	for i, t := range tokens {
		if t.kind == nameToken && (i == 0 || tokens[i-1].text != "." && tokens[i-1].text != ":") {
			used[t.text] = true
		}
	}
	var names, requires []string
	for _, m := range s.host.Modules() {
		if used[m.Name] {
			names = append(names, m.Name)
			requires = append(requires, fmt.Sprintf("require %q", m.Name))
		}
	}
	head := ""
	if len(names) > 0 {
		head = "local " + strings.Join(names, ", ") + " = " + strings.Join(requires, ", ") + "\n\n"
	}
	return writeNew(name, head+body.String())
}

// writeNew writes a file, which it does not overwrite.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf(":save: %s exists", name)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// describe is an error as the session shows it: with its traceback, and for a run that was stopped with the way on.
func describe(err error) string {
	var stopped *host.StoppedError
	var script *host.ScriptError
	switch {
	case errors.As(err, &stopped) && !errors.Is(err, context.Canceled): // by a limit
		return withTraceback(err.Error(), stopped.Traceback)
	case errors.As(err, &stopped):
		text := "stopped"
		if stopped.File != "" {
			text += fmt.Sprintf(" at %s:%d", stopped.File, stopped.Line)
		}
		if stopped.Place != "" {
			text += "; continue() goes on\n" + stopped.Place
		}
		return withTraceback(text, stopped.Traceback)
	case errors.As(err, &script):
		return withTraceback(err.Error(), script.Traceback)
	}
	return err.Error()
}

// withTraceback adds a traceback that says more than the text's place.
func withTraceback(text, traceback string) string {
	if !strings.Contains(traceback, "\n") {
		return text
	}
	return text + "\n  " + strings.ReplaceAll(traceback, "\n", "\n  ")
}
