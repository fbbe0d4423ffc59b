// Package cli is the hwscript command: what its sub-commands do, what goes to which stream, and with which status it
// ends. Each sub-command has a file of its own.
//
// Results go to standard output; progress, errors and, in machine formats, what scripts print go to standard error.
// Every error is one line. The statuses are the constants below.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// Exit statuses; host.ExitCode gives the same for the errors of scripts. One that a signal ends has 128 and its number.
const (
	statusDone     = 0
	statusFailed   = 1 // script error, failed check, or finding
	statusUsage    = 2
	statusInternal = 3
)

// app is one execution of the command.
type app struct {
	parent         context.Context // of Main
	ctx            context.Context // ends with a signal too, until stopSignals
	stopSignals    func()
	stdin          io.Reader
	stdout, stderr io.Writer
	parsed         bool  // the command line was understood: what fails from now on is no mistake in it
	helpErr        error // cobra's help functions return none
}

// Main runs the command with the given arguments and returns its exit status.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	a := &app{parent: ctx, stdin: stdin, stdout: stdout, stderr: stderr}
	a.ctx, a.stopSignals = endedBySignal(ctx)
	defer a.stopSignals()
	// A closed pipe is then an error of the write, so that unfinished files are removed before the end.
	signal.Ignore(syscall.SIGPIPE)

	defer func() {
		if v := recover(); v != nil {
			status = a.internalError(v, debug.Stack())
		}
	}()
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(a.ctx)
	if err == nil {
		err = a.helpErr
	}
	return a.report(err)
}

// rootCommand builds the tree of commands.
func (a *app) rootCommand() *cobra.Command {
	opts := defaultOptions()
	root := &cobra.Command{
		Use:   "hwscript",
		Short: "Simulate interrupt controllers, IOMMUs, TLBs, caches and barriers, driven by Lua scripts",
		Long: "hwscript simulates the hardware with which kernels synchronise, driven by Lua scripts.\n" +
			"Without arguments it reads Lua from the keyboard, or runs what standard input holds.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.parsed = true
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("eval") {
				return a.run(opts, opts.inline())
			}
			opts.interactive = true
			return a.repl(opts)
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	opts.addCodeFlag(root)
	root.AddCommand(a.runCommand(), a.replCommand(), a.listCommand(), a.decodeCommand(), a.docCommand(),
		a.versionCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		cmd.DisableFlagsInUseLine = true
		switch cmd.Name() {
		case "completion":
			// Left alone, it would show its help for a shell that it does not know, and call that a success.
			cmd.Args = unknownCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error { return unknownTopic(root, args) }
		}
	}
	return root
}

// usageErrorf makes the error for a mistake on the command line.
func usageErrorf(format string, args ...any) error {
	return &host.UsageError{Msg: fmt.Sprintf(format, args...)}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if strings.HasSuffix(args[0], ".lua") || args[0] == "-" {
		return usageErrorf("unknown command %q; to run a script: hwscript run %s", args[0], args[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if len(names) == 0 {
		return usageErrorf("unexpected argument %q", args[0])
	}
	if s := api.Suggest(args[0], names); s != "" {
		return usageErrorf("unknown command %q; did you mean %q?", args[0], s)
	}
	return usageErrorf("unknown command %q; there is %s", args[0], strings.Join(names, ", "))
}

// unknownTopic checks the arguments of help: a path of commands.
func unknownTopic(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		sub, _, err := cmd.Find([]string{arg})
		if err != nil || sub == cmd {
			return unknownCommand(cmd, args[i:])
		}
		cmd = sub
	}
	return nil
}

// flagName finds the flags in the help text: to visit them we would have to name the type of a package below cobra.
var flagName = regexp.MustCompile(`(?m)^.{6}--([a-z-]+)`)

// flagError turns cobra's error about a flag into one with a suggestion.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if word, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		var names []string
		for _, m := range flagName.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
			names = append(names, m[1])
		}
		if s := api.Suggest(word, names); s != "" {
			return usageErrorf("unknown flag --%s; did you mean --%s?", word, s)
		}
		return usageErrorf("unknown flag --%s; %s --help lists the flags", word, cmd.CommandPath())
	}
	if what, _, ok := strings.Cut(text, ": strconv."); ok {
		return usageErrorf("%s: expected an integer from 0 on", what) // the only numbers among our flags
	}
	return usageErrorf("%s", text)
}

// exactly checks the number of positional arguments, naming them in the error.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usageErrorf("%s: %s is missing", cmd.Name(), names[len(args)])
		case len(args) > len(names):
			return usageErrorf("%s: unexpected argument %q", cmd.Name(), args[len(names)])
		}
		return nil
	}
}

// report prints an error and returns the exit status that belongs to it.
func (a *app) report(err error) int {
	var (
		internal *host.InternalError
		script   *host.ScriptError
		syntax   *host.SyntaxError
		stopped  *host.StoppedError
	)
	status := host.ExitCode(err)
	switch {
	case err == nil:
	case errors.Is(err, syscall.EPIPE):
		status = statusDone // the reader of our output has seen enough
	case errors.As(err, &internal):
		return a.internalError(internal.Value, internal.Stack)
	case a.ctx.Err() != nil:
		var text string
		text, status = a.interruption(err)
		a.complain(text)
	case !a.parsed:
		status = statusUsage // by cobra, whose errors have no type
		a.complain(firstLine(err.Error()))
	case errors.As(err, &script) && status == statusFailed, errors.As(err, &syntax),
		errors.As(err, &stopped) && stopped.File != "":
		// No name of ours in front: editors jump to a line that begins with its place.
		fmt.Fprintln(a.stderr, err)
		if script != nil && debugging() {
			fmt.Fprintln(a.stderr, script.Traceback)
		}
	default:
		var usage *host.UsageError
		if errors.As(err, &usage) {
			err = usage // without the place in the script that has found it
		}
		a.complain(err.Error())
	}
	return status
}

// debugging reports whether errors are to be shown with their stacks.
func debugging() bool { return os.Getenv("HWSCRIPT_DEBUG") == "1" }

func (a *app) complain(text string) { fmt.Fprintf(a.stderr, "hwscript: %s\n", text) }

// internalError reports a panic: one line, and where the stack is.
func (a *app) internalError(v any, stack []byte) int {
	text := strings.TrimPrefix(firstLine(fmt.Sprint(v)), "BUG: ")
	if debugging() {
		a.complain("internal error: " + text)
		a.stderr.Write(stack)
		return statusInternal
	}
	a.complain("internal error: " + text + " (HWSCRIPT_DEBUG=1 prints the stack)")
	return statusInternal
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
