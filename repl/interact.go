package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

const (
	greeting     = "hwscript: help() helps, Ctrl-D leaves"
	prompt       = "> "
	continuation = ">> "

	// againWithin is the time in which a second Ctrl-C leaves.
	againWithin = 2 * time.Second
)

// interact is a session on a terminal.
func (s *session) interact(ctx context.Context) error {
	term, err := openTerminal()
	if err != nil {
		return err
	}
	defer term.close()
	s.width = func() int {
		if n := columns(); n > 0 {
			return n
		}
		return api.DefaultWidth
	}
	past := history{s.o.History}
	term.remember(past.load()...)
	k := &interrupts{now: s.now, prompt: term.interrupt, leave: func(status int) {
		fmt.Println()
		term.close()
		s.o.Exit(status)
	}}
	defer k.watch()()

	fmt.Fprintln(s.o.Out, greeting)
	if err := s.report(k.during(ctx, s.begin)); err != nil {
		return err
	}
	loop := &loop{session: s, term: term, past: past, interrupts: k}
	term.onTab(func(before, after string) completion { return complete(s.host, loop.block+before, after) })
	for ctx.Err() == nil {
		if err := loop.turn(ctx); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// report prints an error, and returns it if it ends the session.
func (s *session) report(err error) error {
	var internal *host.InternalError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errQuit), errors.As(err, &internal), s.host == nil:
		return err
	}
	_, writeErr := fmt.Fprintln(s.o.Out, describe(err))
	return writeErr
}

// loop is the state of the dialogue.
type loop struct {
	*session
	term       *terminal
	past       history
	interrupts *interrupts
	block      string // the lines of an input that is not complete yet
	count      int    // of inputs
}

// turn prompts for a line and handles it. An error ends the session.
func (l *loop) turn(ctx context.Context) error {
	p := prompt
	if l.block != "" {
		p = continuation
	}
	line, err := l.term.prompt(p)
	switch {
	case errors.Is(err, errAborted):
		idle := l.block == "" && !l.term.cleared()
		l.block = ""
		if l.interrupts.pressed() && idle {
			return ErrLeft
		}
		return nil
	case errors.Is(err, io.EOF):
		fmt.Println()
		return errQuit
	case err != nil:
		return err
	}
	l.block += line + "\n"
	if strings.TrimSpace(l.block) == "" {
		l.block = ""
		return nil
	}
	in := input{name: fmt.Sprintf("input%d", l.count+1), text: l.block, pasted: strings.Contains(line, "\n")}
	err = l.interrupts.during(ctx, func(ctx context.Context) error { return l.enter(ctx, in) })
	if asIncomplete(err) != nil {
		return nil
	}
	l.count++
	entry := strings.TrimRight(l.block, "\n")
	l.block = ""
	l.term.remember(entry)
	l.past.add(entry)
	return l.report(err)
}

// interrupts turns signals into what Ctrl-C means: during an evaluation it ends that; a second time within
// againWithin it ends the process, for an evaluation that does not listen.
type interrupts struct {
	now    func() time.Time
	prompt func()           // ends the prompt that is under way
	leave  func(status int) // ends the process

	mu        sync.Mutex
	cancel    context.CancelFunc // of the evaluation that is under way
	cancelled bool               // it was told to end
	last      time.Time          // when Ctrl-C was pressed last
}

// watch begins to handle signals. The function that it returns stops that.
func (k *interrupts) watch() (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-signals:
				k.handle(sig)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

func (k *interrupts) handle(sig os.Signal) {
	if n, ok := sig.(syscall.Signal); ok && sig != os.Interrupt {
		k.leave(128 + int(n)) // as shells report it
		return
	}
	k.mu.Lock()
	cancel, cancelled := k.cancel, k.cancelled
	k.cancelled = true
	k.mu.Unlock()
	if cancel == nil {
		k.prompt()
		return
	}
	fmt.Println("^C") // the terminal shows it at prompts only
	again := k.pressed()
	cancel()
	if cancelled && again {
		const interrupted = 130
		k.leave(interrupted)
	}
}

// pressed notes that Ctrl-C was pressed, and reports whether it was so shortly before.
func (k *interrupts) pressed() (again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	again = now.Sub(k.last) < againWithin
	k.last = now
	return again
}

// during calls f with a context that ends at Ctrl-C.
func (k *interrupts) during(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k.set(cancel)
	defer k.set(nil)
	return f(ctx)
}

func (k *interrupts) set(cancel context.CancelFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cancel, k.cancelled = cancel, false
}
