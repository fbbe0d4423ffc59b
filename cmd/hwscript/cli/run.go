package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/scripts"
)

// runOptions are the flags of run. The other commands that evaluate Lua leave them at their defaults.
type runOptions struct {
	params      []string
	seed        uint64
	format      string
	output      string
	svg         string
	traceText   string
	timeline    string
	folded      string
	traceWindow string
	replay      string
	code        string
	interactive bool
	jobs        jobs
	budget      uint64
	timeout     time.Duration
	maxMemory   size
}

func defaultOptions() *runOptions {
	return &runOptions{seed: 1, format: "text"}
}

func (a *app) runCommand() *cobra.Command {
	opts := defaultOptions()
	cmd := &cobra.Command{
		Use:   "run [flags] SCRIPT",
		Short: "Run a script: a file, - for standard input, or a built-in scenario",
		Long: "Run a script: a file, - for standard input, or the name of a built-in scenario (see hwscript list).\n" +
			"hwscript run SCRIPT --help shows the parameters of that script.",
		Example: "  hwscript run gic/ipi_latency -p iters=100\n" +
			"  hwscript run --format benchfmt gic/ipi_latency > ipi.txt && benchstat -col /case ipi.txt\n" +
			"  hwscript run --trace-text trace.txt --trace-window 10us..20us my.lua",
		Args: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("eval") {
				return exactly("SCRIPT")(cmd, args)
			}
			if len(args) > 0 {
				return usageErrorf("run: -e takes the place of a script, and %q is one too", args[0])
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scripts.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("eval") {
				return a.run(opts, opts.inline())
			}
			s, err := a.loadScript(args[0])
			if err != nil {
				return err
			}
			return a.run(opts, s)
		},
	}
	opts.addFlags(cmd)
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return formatNames(), cobra.ShellCompDirectiveNoFileComp
	})
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if positional := cmd.Flags().Args(); len(positional) == 1 {
			a.helpErr = a.describe(positional[0])
			return
		}
		help(cmd, args)
	})
	return cmd
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	o.addInputFlags(cmd)
	flags.VarP(&o.jobs, "jobs", "j",
		"share the runs of comparisons and samples among `N` hosts (default all cores); the output is the same")
	flags.StringVar(&o.format, "format", o.format, "print results as `FORM`: text, json, csv or benchfmt")
	flags.StringVarP(&o.output, "output", "o", "", "write to `FILE`, once complete, instead of standard output")
	flags.StringVar(&o.svg, "svg", "", "draw the charts that the script declares to `FILE`")
	flags.StringVar(&o.traceText, "trace-text", "", "trace the first run of each case to `FILE`")
	flags.StringVar(&o.timeline, "trace", "",
		"trace the same to `FILE` in Chrome's format: CPUs, functions of the kernel, SGIs")
	flags.StringVar(&o.folded, "folded", "", "write the time of the kernel's functions to `FILE`, for flame graphs")
	flags.StringVar(&o.traceWindow, "trace-window", "",
		"trace `WHAT`: the first N calls (default "+defaultTraceWindow+"), or a span as 10us..20us")
	o.addLimitFlags(cmd, "the script")
	flags.StringVar(&o.replay, "replay", "", "repeat the execution that `TOKEN` of explore.run names, and show it")
	flags.BoolVarP(&o.interactive, "interactive", "i", false, "read Lua from the keyboard afterwards")
	o.addCodeFlag(cmd)
}

// addInputFlags adds the flags that say what the script works on.
func (o *runOptions) addInputFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.params, "param", "p", nil, "set a parameter of the script, `NAME=VALUE`; repeatable")
	flags.Uint64Var(&o.seed, "seed", o.seed, "seed `N` of all that is random")
}

// addLimitFlags adds the flags that end what takes too much.
func (o *runOptions) addLimitFlags(cmd *cobra.Command, what string) {
	flags := cmd.Flags()
	flags.Uint64Var(&o.budget, "budget", 0, "end "+what+" after `N` instructions, the same ones each time")
	flags.DurationVar(&o.timeout, "timeout", 0, "end "+what+" after `DURATION`, such as 90s or 10m")
	flags.Var(&o.maxMemory, "max-memory", "end "+what+" when the command uses more than `SIZE`, such as 512M or 4G")
}

func (o *runOptions) addCodeFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.code, "eval", "e", "", "run `CODE` instead of a script")
}

// inline makes a script of the code given by -e.
func (o *runOptions) inline() script {
	return script{name: "-e", text: o.code, files: folder("."), inline: true}
}

// run runs a script and writes its results.
func (a *app) run(opts *runOptions, s script) error {
	if opts.interactive && (opts.format != "text" || opts.output != "") {
		return usageErrorf("run: -i is for the terminal: it goes with neither -o nor another format than text")
	}
	j, err := a.newJob(opts, s)
	if err != nil {
		return err
	}
	defer j.close()
	if opts.interactive {
		return j.finish(a.converse(j, func(ctx context.Context, _ *host.Host) error { return j.run(ctx, s) }))
	}
	return j.finish(j.run(j.ctx, s))
}
