package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hwscript/hwscript/host/result"
)

// A stream is buffered output. The first write that fails calls failed, after which nothing is written any more.
type stream struct {
	*bufio.Writer
	prompt bool // flush after each write: somebody watches
}

func newStream(w io.Writer, failed func(error)) *stream {
	target := writerFunc(func(p []byte) (int, error) {
		n, err := w.Write(p)
		if err != nil {
			failed(err)
		}
		return n, err
	})
	return &stream{Writer: bufio.NewWriterSize(target, 1<<16), prompt: isTerminal(w)}
}

func (s *stream) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err == nil && s.prompt {
		err = s.Flush()
	}
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// An atomicFile is written beside its final name, and takes the name when it is complete: readers see the old content
// or the new, never half of it. A symbolic link stays, and the file that it leads to is replaced. Devices and pipes,
// which have no such name, are written as they are.
type atomicFile struct {
	*os.File
	name    string // without links
	direct  bool
	settled bool // committed or discarded
}

// createAtomic opens the file to be named name.
func createAtomic(name string) (*atomicFile, error) {
	f := &atomicFile{name: name}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, usageErrorf("%s is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		f.direct = true
		f.File, err = os.OpenFile(name, os.O_WRONLY, 0)
	default:
		if f.name, err = withoutLinks(name); err == nil {
			f.File, err = createBeside(f.name)
		}
	}
	if err != nil {
		return nil, usageErrorf("cannot write %s: %v", name, cause(err))
	}
	return f, nil
}

// withoutLinks returns the name of the file to which a name leads by symbolic links, whether it exists or not.
func withoutLinks(name string) (string, error) {
	if there, err := filepath.EvalSymlinks(name); err == nil {
		return there, nil
	}
	const most = 40 // as Linux has it
	for range most {
		folder, err := filepath.EvalSymlinks(filepath.Dir(name))
		if err != nil {
			return "", err
		}
		name = filepath.Join(folder, filepath.Base(name))
		link, err := os.Readlink(name)
		switch {
		case err != nil:
			return name, nil // no link
		case filepath.IsAbs(link):
			name = link
		default:
			name = folder + string(filepath.Separator) + link
		}
	}
	return "", syscall.ELOOP
}

// isFile reports whether the file that is written will be, or replace, the file that another name leads to.
func (f *atomicFile) isFile(name string) bool {
	if f.direct {
		return false
	}
	name, err := withoutLinks(name)
	if err != nil || filepath.Base(name) != filepath.Base(f.name) {
		return false
	}
	mine, err := os.Stat(filepath.Dir(f.name))
	if err != nil {
		return false
	}
	its, err := os.Stat(filepath.Dir(name))
	return err == nil && os.SameFile(mine, its)
}

// createBeside makes a new file in the same folder, with the permissions that new files have here. Those of
// os.CreateTemp are for the owner only.
func createBeside(name string) (*os.File, error) {
	for i := 0; ; i++ {
		temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d-%d", filepath.Base(name), os.Getpid(), i))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// commit gives the file its name, and the permissions of the file that it replaces.
func (f *atomicFile) commit() error {
	f.settled = true
	if f.direct {
		return f.Close()
	}
	var err error
	if old, statErr := os.Stat(f.name); statErr == nil {
		err = f.Chmod(old.Mode().Perm())
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("cannot write %s: %w", f.name, cause(err))
	}
	return nil
}

// discard removes the file, unless commit has given it its name.
func (f *atomicFile) discard() {
	if f.settled {
		return
	}
	f.Close()
	if !f.direct {
		os.Remove(f.Name())
	}
}

// cause strips the operation and the path from a file error.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// A format is a form of output.
type format struct {
	name  string
	write func(*result.Report, io.Writer) error // nil: text, which is written as the script goes on
}

var formats = []format{
	{"text", nil},
	{"json", (*result.Report).WriteJSON},
	{"csv", (*result.Report).WriteCSV},
	{"benchfmt", (*result.Report).WriteBenchfmt},
}

func formatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

func findFormat(name string) (format, error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, usageErrorf("unknown format %q; there is %s", name, strings.Join(formatNames(), ", "))
}

// A progress line is rewritten in place on a terminal, and cleared before anything else is written there. Any of the
// hosts that run a script may count.
type progress struct {
	w     io.Writer
	now   func() time.Time
	mu    sync.Mutex
	text  string
	shown bool
	since time.Time // when the first of what is counted was begun
	seen  time.Time // when the line was last written
}

func (p *progress) show(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text = text; text == "" {
		p.clear()
		p.since = time.Time{}
		return
	}
	if p.since.IsZero() {
		p.since = p.now()
	}
	p.rewrite(text)
}

// count adds how much is done, and about how long the rest takes. It may be told so thousands of times a second.
func (p *progress) count(done, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const often = 100 * time.Millisecond
	if now := p.now(); p.text != "" && now.Sub(p.seen) >= often {
		left := now.Sub(p.since) * time.Duration(of-done) / time.Duration(done)
		p.rewrite(fmt.Sprintf("%s (%d of %d done, %v left)", p.text, done, of, left.Round(time.Second)))
	}
}

func (p *progress) rewrite(text string) {
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	p.shown, p.seen = true, p.now()
}

func (p *progress) clear() {
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// before returns a writer that clears the line before it writes to w.
func (p *progress) before(w io.Writer) io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.clear()
		return w.Write(b)
	})
}

// isTerminal reports whether a stream is a terminal: a character device that is not the null device.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
