package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/creack/pty"
)

// binary is the command, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hwscript")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "hwscript")
	out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return name, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if name, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(status)
}

func built(t testing.TB) string {
	t.Helper()
	name, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// A console runs the command on a pseudo-terminal. Its methods type, and wait for what the screen shows.
type console struct {
	t    testing.TB
	tty  *os.File
	cmd  *exec.Cmd
	done chan struct{} // closed at the end of the output

	mu      sync.Mutex
	screen  *screen
	changed chan struct{} // closed and replaced at each change
	mark    int           // rows above have been seen
}

// patience is how long a console waits for what it expects. Only a test that fails ever waits so long.
const patience = 2 * time.Minute

// Keys. For arrows these are sent: the line editor takes the bytes of an arrow for one key only if they come within
// some time.
const (
	left = "\x02" // Ctrl-B
	up   = "\x10" // Ctrl-P
)

// open starts the command with arguments, in a terminal so many columns wide. settings are added to the environment.
func open(t testing.TB, columns int, settings []string, args ...string) *console {
	t.Helper()
	return openCommand(t, columns, settings, exec.Command(built(t), args...))
}

func openCommand(t testing.TB, columns int, settings []string, cmd *exec.Cmd) *console {
	t.Helper()
	c := &console{
		t: t, cmd: cmd, screen: newScreen(columns), changed: make(chan struct{}), done: make(chan struct{}),
	}
	c.cmd.Env = append(append(os.Environ(), "TERM=xterm", "HWSCRIPT_HISTORY=off"), settings...)
	var err error
	if c.tty, err = pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(c.kill)
	go c.read()
	return c
}

func (c *console) read() {
	defer close(c.done)
	buffer := make([]byte, 1<<16)
	for {
		n, err := c.tty.Read(buffer)
		c.mu.Lock()
		c.screen.Write(buffer[:n])
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return // EIO when the command has ended
		}
	}
}

// signal sends a signal to the processes in the foreground of the terminal.
func (c *console) signal(sig syscall.Signal) {
	c.t.Helper()
	var group int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, c.tty.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	if errno != 0 {
		c.t.Fatal(errno)
	}
	if err := syscall.Kill(-int(group), sig); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
	c.tty.Close()
	<-c.done
}

// until waits for the rows from the mark on to satisfy a condition, which is asked while the screen stands still. It
// answers false if the command ends, or the patience, without.
func (c *console) until(ok func(text string) bool) bool {
	timeout := time.After(patience)
	for {
		c.mu.Lock()
		changed, met := c.changed, ok(c.below())
		c.mu.Unlock()
		if met {
			return true
		}
		select {
		case <-changed:
		case <-c.done:
			return ok(c.below())
		case <-timeout:
			return false
		}
	}
}

// below is the text of the rows from the mark on.
func (c *console) below() string {
	return strings.Join(strings.Split(c.screen.text(), "\n")[min(c.mark, len(c.screen.rows)-1):], "\n")
}

// wait waits as until does, and fails the test if that is in vain.
func (c *console) wait(what string, ok func(text string) bool) {
	c.t.Helper()
	if !c.until(ok) {
		c.t.Fatalf("waited for %s; the screen shows\n%s", what, c.below())
	}
}

// see waits for text below the mark.
func (c *console) see(text string) {
	c.t.Helper()
	c.wait(text, func(shown string) bool { return strings.Contains(shown, text) })
}

// prompted waits for an empty prompt and then sets the mark there.
func (c *console) prompted(prompt string) {
	c.t.Helper()
	c.wait("the prompt", prompting(prompt))
	c.mu.Lock()
	c.mark = c.screen.row
	c.mu.Unlock()
}

// prompting is the condition that an empty prompt is the last that the screen shows.
func prompting(prompt string) func(text string) bool {
	prompt = strings.TrimRight(prompt, " ")
	return func(shown string) bool { return shown == prompt || strings.HasSuffix(shown, "\n"+prompt) }
}

// send types keys.
func (c *console) send(keys string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// enter types a line, and waits until its end is shown before it presses Enter: what comes in one piece is no typing.
func (c *console) enter(line string) {
	c.t.Helper()
	c.send(line)
	const tail = 15 // of a line that is too long
	c.see(line[max(0, len(line)-tail):])
	c.send("\r")
}

// ask enters a line, waits for an answer and the next prompt, and returns what was shown in between.
func (c *console) ask(line, answer string) string {
	c.t.Helper()
	c.mu.Lock()
	from := c.mark
	c.mu.Unlock()
	c.enter(line)
	c.see(answer)
	c.prompted("> ")
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(strings.Split(c.screen.text(), "\n")[from+1:c.mark], "\n")
}

// ends waits for the end of the command and returns its status.
func (c *console) ends() int {
	c.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.t.Fatalf("the command does not end; the screen shows\n%s", c.text())
	}
	c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.screen.text()
}
