package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/hwscript/hwscript/host"
)

// endSignals end the command in an orderly way: unfinished files are removed, and one line says where the script was.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// signalled is the cause of a context that a signal has ended.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string {
	switch s.signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	}
	return "interrupted"
}

// Unwrap makes it a cancellation.
func (s signalled) Unwrap() error { return context.Canceled }

// status is the exit status, as shells report the signal.
func (s signalled) status() int { return 128 + int(s.signal) }

// endedBySignal returns a context that ends with the first signal of endSignals. A second one then ends the process.
// After stop, signals are not looked at any more.
func endedBySignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals...)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(signalled{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}

// interruption says what has ended the command from outside, where it has met the script, and the exit status.
func (a *app) interruption(err error) (text string, status int) {
	by := signalled{syscall.SIGINT} // a context that the caller of Main ends counts as Ctrl-C
	errors.As(context.Cause(a.ctx), &by)
	var stopped *host.StoppedError
	if errors.As(err, &stopped) && stopped.File != "" {
		text = fmt.Sprintf("%s at %s:%d", by, stopped.File, stopped.Line)
		if stopped.Place != "" {
			text += ", " + stopped.Place
		}
		return text, by.status()
	}
	return by.Error(), by.status()
}

// An input is a reader whose Read comes back when its context ends, though nothing may have come yet.
type input struct {
	ctx    context.Context
	chunks <-chan chunk
	rest   chunk
}

type chunk struct {
	data []byte
	err  error
}

func newInput(ctx context.Context, r io.Reader) *input {
	chunks := make(chan chunk)
	go func() {
		for {
			buffer := make([]byte, 1<<15)
			n, err := r.Read(buffer)
			select {
			case chunks <- chunk{buffer[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return &input{ctx: ctx, chunks: chunks}
}

// Read is part of io.Reader.
func (in *input) Read(p []byte) (int, error) {
	if len(in.rest.data) == 0 && in.rest.err == nil {
		select {
		case in.rest = <-in.chunks:
		case <-in.ctx.Done():
			return 0, context.Cause(in.ctx)
		}
	}
	n := copy(p, in.rest.data)
	in.rest.data = in.rest.data[n:]
	if len(in.rest.data) > 0 {
		return n, nil
	}
	return n, in.rest.err
}
