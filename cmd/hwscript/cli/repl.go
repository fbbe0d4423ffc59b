package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/repl"
	"github.com/hwscript/hwscript/scripts"
)

func (a *app) replCommand() *cobra.Command {
	opts := defaultOptions()
	opts.interactive = true
	cmd := &cobra.Command{
		Use:   "repl [flags] [SCRIPT]",
		Short: "Read Lua line by line, evaluate it, print its values",
		Long: "Read Lua line by line, evaluate it, print its values. A SCRIPT runs first, and its globals stay.\n" +
			"Inputs are kept in a history file. The environment variable " + repl.HistoryVariable + " names another file;\n" +
			repl.HistoryVariable + "=off is for none.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly("SCRIPT")(cmd, args)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scripts.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.repl(opts)
			}
			s, err := a.loadScript(args[0])
			if err != nil {
				return err
			}
			return a.run(opts, s)
		},
	}
	cmd.Flags().SortFlags = false
	opts.addInputFlags(cmd)
	opts.addLimitFlags(cmd, "each input")
	return cmd
}

// repl starts a session without a script.
func (a *app) repl(opts *runOptions) error {
	j, err := a.newJob(opts, script{name: "repl", files: folder("."), inline: true})
	if err != nil {
		return err
	}
	defer j.close()
	return j.finish(a.converse(j, nil))
}

// converse is an interactive session on the job's host. It begins with start, unless that is nil.
func (a *app) converse(j *job, start func(context.Context, *host.Host) error) error {
	j.out.prompt = true // who writes into a pipe may wait for the answers
	j.session.Interactive = true
	made := j.host
	o := repl.Options{
		Host: func() (*host.Host, error) {
			if h := made; h != nil {
				made = nil
				return h, nil
			}
			return j.renew()
		},
		Start:    start,
		Bound:    func(ctx context.Context) (context.Context, context.CancelFunc) { return limitTime(ctx, j.timeout) },
		Out:      j.text,
		Exit:     j.leave,
		Terminal: a.stdin == os.Stdin && isTerminal(a.stdin) && a.stdout == os.Stdout && isTerminal(a.stdout),
	}
	if !o.Terminal {
		o.In = newInput(j.ctx, a.stdin)
		return repl.Run(j.ctx, o)
	}
	// Ctrl-C ends an evaluation, not the command.
	a.stopSignals()
	a.ctx = a.parent
	o.History = repl.HistoryFile()
	return repl.Run(a.ctx, o)
}
