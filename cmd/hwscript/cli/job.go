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

	window                 *bindings.Trace // of the traces; nil: all
	timelineOut, foldedOut *stream         // of --trace and --folded; nil: none
	timeline, folded       *atomicFile
	claimed                []claimedFile
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
	if opts.traceText == "" && opts.timeline == "" && opts.traceWindow != "" {
		return usageErrorf("--trace-window says what --trace-text and --trace write, and there is none")
	}
	if opts.traceText != "" || opts.traceWindow != "" {
		j.window, err = parseTraceWindow(cmp.Or(opts.traceWindow, defaultTraceWindow))
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
		j.claimed = append(j.claimed, claimedFile{"-o", opts.output, j.file})
		j.out = newStream(j.file, j.fail)
	}
	for _, f := range []struct {
		flag, name string
		to         **atomicFile
	}{
		{"--svg", opts.svg, &j.svg}, {"--trace-text", opts.traceText, &j.traced}, {"--trace", opts.timeline, &j.timeline},
		{"--folded", opts.folded, &j.folded},
	} {
		if f.name == "" {
			continue
		}
		if *f.to, err = s.createAtomic(f.name); err != nil {
			return err
		}
		if err := j.claim(f.flag, f.name, *f.to); err != nil {
			return err
		}
	}
	j.connectTraces()
	return nil
}

// claim refuses a file that another flag has named.
func (j *job) claim(flag, name string, file *atomicFile) error {
	for _, other := range j.claimed {
		if other.file.isFile(name) {
			return usageErrorf("%s %s and %s %s are one file", other.flag, other.name, flag, name)
		}
	}
	j.claimed = append(j.claimed, claimedFile{flag, name, file})
	return nil
}

// A claimedFile is a file that is written because of a flag.
type claimedFile struct {
	flag, name string
	file       *atomicFile
}

// connectTraces gives the session what traces are written to.
func (j *job) connectTraces() {
	if j.traced != nil {
		j.trace = newStream(j.traced, j.fail)
		j.session.Trace = j.window
		j.session.Trace.Out = j.trace
	}
	if j.folded != nil {
		j.foldedOut = newStream(j.folded, j.fail)
		j.session.Folded = &bindings.FoldedFile{Out: j.foldedOut}
	}
	if j.timeline != nil {
		j.timelineOut = newStream(j.timeline, j.fail)
		j.session.Timeline = &bindings.TraceFile{Out: j.timelineOut}
		if j.window != nil {
			j.session.Timeline.From, j.session.Timeline.To = j.window.From, j.window.To
		}
	}
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
	j.finishTraces()
	if j.failure != nil {
		return j.failure // which is why the script ended
	}
	if complete && j.file != nil {
		err = errors.Join(j.file.commit(), err)
	}
	if complete && j.svg != nil {
		err = errors.Join(j.draw(), err)
	}
	for _, f := range []*atomicFile{j.timeline, j.folded} {
		if f != nil {
			err = errors.Join(f.commit(), err)
		}
	}
	if j.traced != nil {
		err = errors.Join(j.traced.commit(), err)
		if t := j.session.Trace; complete && t.Records == 0 {
			fmt.Fprintf(j.options.Stderr, "hwscript: the trace is empty: %s\n", t.Missed())
		}
	}
	return err
}

// finishTraces writes what is left of the traces.
func (j *job) finishTraces() {
	if j.session.Folded != nil {
		j.session.Folded.Finish()
	}
	if j.session.Timeline != nil {
		j.session.Timeline.Finish()
	}
	for _, out := range []*stream{j.trace, j.timelineOut, j.foldedOut} {
		if out != nil {
			out.Flush()
		}
	}
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
	for _, f := range []*atomicFile{j.file, j.svg, j.traced, j.timeline, j.folded} {
		if f != nil {
			f.discard()
		}
	}
}
