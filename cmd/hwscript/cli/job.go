package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
	"github.com/hwscript/hwscript/scripts"
)

// A job is the run of one script with all that it writes to.
type job struct {
	ctx     context.Context // ends when the user interrupts, and when an output fails
	cancel  context.CancelFunc
	failure error // of an output
	timeout time.Duration
	params  map[string]string
	format  format
	report  *result.Report
	session *bindings.Session
	host    *host.Host
	options host.Options // of host
	jobs    int          // hosts that run the script; the others write nothing

	out    *stream // of standard output, or of file
	text   *result.TextWriter
	file   *atomicFile // -o; nil: none
	svg    *atomicFile // --svg; nil: none
	trace  *stream     // of traced; nil: none
	traced *atomicFile
}

// newJob prepares everything; nothing has happened yet if it fails.
func (a *app) newJob(opts *runOptions, s script) (*job, error) {
	j := &job{report: &result.Report{Script: s.name}, session: new(bindings.Session)}
	j.ctx, j.cancel = context.WithCancel(a.ctx)
	err := j.session.ReadReplay(opts.replay, &opts.params, &opts.seed)
	if err == nil {
		err = j.read(opts)
	}
	if err == nil {
		err = j.open(opts, s, a.stdout)
	}
	if err == nil {
		err = a.connect(j, opts, s)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// read understands the flags.
func (j *job) read(opts *runOptions) (err error) {
	if j.params, err = parseParams(opts.params); err != nil {
		return err
	}
	if j.format, err = findFormat(opts.format); err != nil {
		return err
	}
	if j.timeout = opts.timeout; j.timeout < 0 {
		return usageErrorf("--timeout: expected a time from now on, got %v", j.timeout)
	}
	if j.jobs = cmp.Or(int(opts.jobs), runtime.GOMAXPROCS(0)); opts.single() {
		j.jobs = 1
	}
	if opts.traceText == "" && opts.traceWindow != "" {
		return usageErrorf("--trace-window says what --trace-text writes, and there is none")
	}
	if opts.traceText != "" {
		j.session.Trace, err = parseTraceWindow(cmp.Or(opts.traceWindow, defaultTraceWindow))
	}
	return err
}

// open opens the files.
func (j *job) open(opts *runOptions, s script, stdout io.Writer) (err error) {
	if opts.output == "" {
		j.out = newStream(stdout, j.fail)
	} else {
		if j.file, err = s.createAtomic(opts.output); err != nil {
			return err
		}
		j.out = newStream(j.file, j.fail)
	}
	if opts.svg != "" {
		if j.svg, err = s.createAtomic(opts.svg); err != nil {
			return err
		}
		if j.file != nil && j.file.isFile(opts.svg) {
			return usageErrorf("-o %s and --svg %s are one file", opts.output, opts.svg)
		}
	}
	if j.session.Trace == nil {
		return nil
	}
	if j.traced, err = s.createAtomic(opts.traceText); err != nil {
		return err
	}
	if j.file != nil && j.file.isFile(opts.traceText) {
		return usageErrorf("-o %s and --trace-text %s are one file", opts.output, opts.traceText)
	}
	if j.svg != nil && j.svg.isFile(opts.traceText) {
		return usageErrorf("--svg %s and --trace-text %s are one file", opts.svg, opts.traceText)
	}
	j.trace = newStream(j.traced, j.fail)
	j.session.Trace.Out = j.trace
	return nil
}

// fail ends the script because an output has failed.
func (j *job) fail(err error) {
	if j.failure == nil {
		j.failure = err
	}
	j.cancel()
}

// connect makes the host. In the machine formats, only the results go to standard output.
func (a *app) connect(j *job, opts *runOptions, s script) (err error) {
	line := &progress{w: a.stderr, now: time.Now}
	stderr := line.before(a.stderr)
	j.text = result.NewTextWriter(line.before(j.out), j.report)
	printed := io.Writer(j.text)
	j.report.OnBlock = j.text.Block
	if j.format.write != nil {
		printed = stderr
		j.report.OnBlock = func(b result.Block) error {
			if note, ok := b.(result.Note); ok {
				fmt.Fprintln(stderr, note)
			}
			return nil
		}
	}
	j.session.Report = j.report
	if isTerminal(a.stderr) && os.Getenv("TERM") != "dumb" {
		j.session.Progress, j.session.Count = line.show, line.count
	}
	if j.session.Figures, err = bindings.ReadFigures(scripts.Data()); err != nil {
		return err
	}
	j.options = host.Options{
		Preload: s.inline || opts.interactive,
		Stdout:  printed,
		Stderr:  stderr,
		Seed:    opts.seed,
		Params:  j.params,
		FS:      s.files,
		Dir:     s.dir,
		Limits:  opts.limits(),
	}
	_, err = j.renew()
	return err
}

// renew makes the host, in place of one that there may be.
func (j *job) renew() (_ *host.Host, err error) {
	if j.host != nil {
		j.host.Close()
	}
	j.host, err = bindings.NewHost(j.session, j.options)
	return j.host, err
}

// run runs the script. Of one that stands in the command line or comes by a pipe, it also prints the values.
func (j *job) run(ctx context.Context, s script) error {
	ctx, cancel := limitTime(ctx, j.timeout)
	defer cancel()
	team, ctx := bindings.NewTeam(ctx, j.jobs)
	defer team.Close()
	j.session.Team = team
	stop, err := j.assist(ctx, team, s)
	defer stop()
	if err != nil {
		return err
	}
	err = s.run(ctx, j.host)
	team.Leave(err)
	return j.replayed(err)
}

// run runs the script on a host.
func (s script) run(ctx context.Context, h *host.Host) error {
	if !s.inline {
		return h.Run(ctx, s.name, s.text)
	}
	values, err := h.Eval(ctx, s.name, s.text)
	if len(values) > 0 {
		fmt.Fprintln(h.Stdout(), api.Pretty(api.DefaultWidth, values...))
	}
	return err
}

// assist starts the other hosts of a team on the script, until stop is called. They write nothing.
func (j *job) assist(ctx context.Context, team *bindings.Team, s script) (stop func(), err error) {
	var group sync.WaitGroup
	stop = func() {
		team.Close()
		group.Wait()
	}
	for member := 1; member < team.Size(); member++ {
		session := &bindings.Session{
			Report: &result.Report{Script: s.name}, Figures: j.session.Figures, Count: j.session.Count,
			Team: team, Member: member,
		}
		options := j.options
		options.Stdout, options.Stderr = nil, nil
		h, err := bindings.NewHost(session, options)
		if err != nil {
			return stop, err
		}
		group.Go(func() {
			defer h.Close()
			defer func() {
				if v := recover(); v != nil {
					team.Leave(&host.InternalError{Value: v, Stack: debug.Stack()})
				}
			}()
			team.Leave(s.run(ctx, h))
		})
	}
	return stop, nil
}

// replayed is the error of a script that was to repeat an execution: it ends there, or does not know it.
func (j *job) replayed(err error) error {
	switch {
	case errors.Is(err, bindings.ErrReplayed):
		return nil
	case err == nil && j.session.Replay != nil:
		return usageErrorf("--replay: the script explores nothing named %q", j.session.Replay.Name)
	}
	return err
}

// finish writes the results of a script that ended with err, and returns the error of the command. Failed checks do
// not keep the results back, other errors do. The trace is written in any case: it shows how the error came about.
func (j *job) finish(err error) error {
	var failed *host.FailedError
	if _, hasParams := j.session.Declared(); err == nil && len(j.params) > 0 && !hasParams {
		err = usageErrorf("%s declares no parameters, and -p sets some", j.report.Script)
	}
	complete := err == nil || errors.As(err, &failed)
	if complete && j.format.write != nil {
		j.format.write(j.report, j.out) // its failure is j.failure
	}
	j.out.Flush()
	for _, line := range j.session.Remarks() {
		fmt.Fprintf(j.options.Stderr, "hwscript: %s\n", line)
	}
	if j.trace != nil {
		j.trace.Flush()
	}
	if j.failure != nil {
		return j.failure // which is why the script ended
	}
	if complete && j.file != nil {
		err = errors.Join(j.file.commit(), err)
	}
	if complete && j.svg != nil {
		err = errors.Join(j.draw(), err)
	}
	if j.traced != nil {
		err = errors.Join(j.traced.commit(), err)
		if t := j.session.Trace; complete && t.Records == 0 {
			fmt.Fprintf(j.options.Stderr, "hwscript: the trace is empty: %s\n", t.Missed())
		}
	}
	return err
}

// draw writes the pictures, if the script has declared any.
func (j *job) draw() error {
	if j.report.Pictures() == 0 {
		fmt.Fprintln(j.options.Stderr, "hwscript: no picture is written: the script declares no chart")
		return nil
	}
	if err := j.report.WriteSVG(j.svg); err != nil {
		return err
	}
	return j.svg.commit()
}

// leave ends the process while the script may still run: what is not finished is removed.
func (j *job) leave(status int) {
	j.discard()
	os.Exit(status)
}

// close frees what the job holds.
func (j *job) close() {
	if j.host != nil {
		j.host.Close()
	}
	j.discard()
	j.cancel()
}

// discard removes the files that were not finished.
func (j *job) discard() {
	for _, f := range []*atomicFile{j.file, j.svg, j.traced} {
		if f != nil {
			f.discard()
		}
	}
}
