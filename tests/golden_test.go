package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hwscript/hwscript/cmd/hwscript/cli"
)

// updating reports whether golden files are to be rewritten. A variable rather than a flag: go test ./... would hand a
// flag to packages that do not define it. On a CI machine nobody reads the difference, so there it is refused.
func updating() (bool, error) {
	update := os.Getenv("HWSCRIPT_UPDATE") != ""
	if update && os.Getenv("CI") == "true" {
		return false, errors.New("HWSCRIPT_UPDATE is set on a CI machine")
	}
	return update, nil
}

// goldenName returns the golden file of a script, both relative to the repository, or "" if it has none: *.d.lua files
// describe the modules to editors, and are no scripts.
func goldenName(script string) string {
	area, ok := strings.CutPrefix(script, "scripts/")
	base, isLua := strings.CutSuffix(area, ".lua")
	if !ok || !isLua || strings.HasSuffix(base, ".d") {
		return ""
	}
	return "tests/golden/" + base + ".txt"
}

// pairScripts finds the scripts among the files of the repository, and the golden files that belong to none of them.
func pairScripts(files []string) (scripts, orphans []string) {
	wanted := map[string]bool{}
	for _, name := range files {
		if golden := goldenName(name); golden != "" {
			scripts = append(scripts, name)
			wanted[golden] = true
		}
	}
	for _, name := range files {
		if strings.HasPrefix(name, "tests/golden/") && !wanted[name] {
			orphans = append(orphans, name)
		}
	}
	return scripts, orphans
}

// goldenArgs reads the arguments of a script's golden run from its first line, "--! args -p iters=20". A script without
// that line runs as it is.
func goldenArgs(text []byte) ([]string, error) {
	line, _, _ := strings.Cut(string(text), "\n")
	rest, marked := strings.CutPrefix(line, "--!")
	if !marked {
		return nil, nil
	}
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[0] != "args" {
		return nil, fmt.Errorf("first line %q is not of the form \"--! args -p name=value\"", line)
	}
	return fields[1:], nil
}

// runScript runs the command in this process and returns what it wrote to standard output. Notes and progress, on
// standard error, are no part of the result.
func runScript(script string, args []string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	argv := slices.Concat([]string{"run"}, args, []string{script})
	if status := cli.Main(context.Background(), argv, strings.NewReader(""), &stdout, &stderr); status != 0 {
		return nil, fmt.Errorf("hwscript %s: exit status %d\n%s%s",
			strings.Join(argv, " "), status, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// lineDiff returns a unified diff of two texts, or "" if they are the same to the byte.
func lineDiff(nameA string, a []byte, nameB string, b []byte) string {
	return string(diff.Diff(nameA, a, nameB, b))
}

// runThrice runs a script twice in this process and once on one processor, and insists on the same bytes.
func runThrice(script string, args []string) ([]byte, error) {
	first, err := runScript(script, args)
	if err != nil {
		return nil, err
	}
	second, err := runScript(script, args)
	if err != nil {
		return nil, err
	}
	if d := lineDiff("first run", first, "second run", second); d != "" {
		return nil, fmt.Errorf("two runs in one process differ:\n%s", d)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	third, err := runScript(script, args)
	if err != nil {
		return nil, err
	}
	if d := lineDiff("first run", first, "run with GOMAXPROCS=1", third); d != "" {
		return nil, fmt.Errorf("the number of processors shows:\n%s", d)
	}
	return first, nil
}

// TestGolden runs every script and compares its output with its golden file, byte for byte.
func TestGolden(t *testing.T) {
	update, err := updating()
	if err != nil {
		t.Fatal(err)
	}
	scripts, orphans := pairScripts(treeFiles(t))
	if len(scripts) == 0 {
		t.Fatal("found no scripts: the test looks in the wrong place")
	}
	for _, name := range orphans {
		t.Errorf("%s belongs to no script: delete it, or restore its script", name)
	}
	t.Chdir(root) // Scripts are named as a user names them, from the top of the repository.
	for _, script := range scripts {
		t.Run(script, func(t *testing.T) { testScript(t, script, update) })
	}
}

func testScript(t *testing.T, script string, update bool) {
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	args, err := goldenArgs(text)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	got, err := runThrice(script, args)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.FromSlash(goldenName(script))
	want, err := os.ReadFile(golden)
	switch {
	case update:
		err = errors.Join(os.MkdirAll(filepath.Dir(golden), 0o777), os.WriteFile(golden, got, 0o666))
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s has no golden file: write it with HWSCRIPT_UPDATE=1 go test ./tests, and read it", script)
	case err == nil && !bytes.Equal(want, got):
		t.Error(lineDiff(golden, want, "output of "+script, got))
	}
	if err != nil {
		t.Error(err)
	}
}

// TestJobs: the number of hosts that share a script's runs does not show.
func TestJobs(t *testing.T) {
	t.Chdir(root)
	for script, args := range map[string][]string{
		"scripts/gic/ipi_latency.lua":     {"-p", "iters=2", "-p", "runs=3", "-p", "sample=2"},
		"scripts/explore/sgi_barrier.lua": nil,
	} {
		var first []byte
		for _, jobs := range []string{"1", "7"} {
			got, err := runScript(script, slices.Concat([]string{"-j", jobs, "--format", "json"}, args))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if d := lineDiff("-j 1", first, "-j "+jobs, got); d != "" {
				t.Errorf("%s:\n%s", script, d)
			}
		}
	}
}

// scriptPath is how a script is named in prose and in commands.
var scriptPath = regexp.MustCompile(`\bscripts/[a-z0-9_/-]+\.lua\b`)

// missingScripts returns the scripts that a text names and that do not exist.
func missingScripts(text []byte, scripts []string) []string {
	var missing []string
	for _, name := range scriptPath.FindAllString(string(text), -1) {
		if !slices.Contains(scripts, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// TestReadmeScripts holds the scripts named in the README against those that exist.
func TestReadmeScripts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, _ := pairScripts(treeFiles(t))
	for _, name := range missingScripts(text, scripts) {
		t.Errorf("README.md names %s, which does not exist", name)
	}
}

// TestReadmeFirstScript runs the first script of the README and compares what it prints with what the README says.
func TestReadmeFirstScript(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```lua\n")
	script, rest, ok2 := strings.Cut(rest, "```\n")
	_, rest, ok3 := strings.Cut(rest, "```\n")
	want, _, ok4 := strings.Cut(rest, "```\n")
	if !ok || !ok2 || !ok3 || !ok4 {
		t.Fatal("README.md has no Lua block followed by a block with its output")
	}
	file := filepath.Join(t.TempDir(), "first.lua")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	status := cli.Main(t.Context(), []string{"run", file}, strings.NewReader(""), &stdout, &stderr)
	if status != 0 || stdout.String() != want {
		t.Errorf("status %d, printed %q, README.md says %q; %s", status, stdout.String(), want, stderr.String())
	}
}

// TestGoldenCanFail shows that the harness notices what it should.
func TestGoldenCanFail(t *testing.T) {
	scripts, orphans := pairScripts([]string{
		"scripts/embed.go", "scripts/gic/a.lua", "scripts/gic/b.lua", "scripts/hwscript.d.lua", "other/c.lua",
		"tests/golden/gic/a.txt", "tests/golden/gic/c.txt", "tests/golden/gic/a.json",
	})
	if want := []string{"scripts/gic/a.lua", "scripts/gic/b.lua"}; !slices.Equal(scripts, want) {
		t.Errorf("scripts are %q, want %q", scripts, want)
	}
	if want := []string{"tests/golden/gic/c.txt", "tests/golden/gic/a.json"}; !slices.Equal(orphans, want) {
		t.Errorf("orphans are %q, want %q", orphans, want)
	}

	for line, want := range map[string][]string{
		"--! args -p iters=20 -p runs=3\nprint(1)": {"-p", "iters=20", "-p", "runs=3"},
		"-- A comment.\n--! args -p iters=20":      nil,
	} {
		if got, err := goldenArgs([]byte(line)); err != nil || !slices.Equal(got, want) {
			t.Errorf("goldenArgs(%q) = %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"--! arg -p iters=20", "--!", "--! args\n"} {
		if got, err := goldenArgs([]byte(line)); err == nil {
			t.Errorf("goldenArgs(%q) = %q, want an error", line, got)
		}
	}

	if d := lineDiff("a", []byte("1\n2\n"), "b", []byte("1\n3\n")); !strings.Contains(d, "\n-2\n+3\n") {
		t.Errorf("the difference does not show: %s", d)
	}
	if _, err := runThrice("scripts/missing.lua", nil); err == nil || !strings.Contains(err.Error(), "exit status") {
		t.Errorf("a script that does not exist passes: %v", err)
	}
	missing := missingScripts([]byte("run scripts/gic/a.lua, not scripts/gic/z.lua"), scripts)
	if want := []string{"scripts/gic/z.lua"}; !slices.Equal(missing, want) {
		t.Errorf("missing scripts are %q, want %q", missing, want)
	}

	t.Setenv("HWSCRIPT_UPDATE", "1")
	t.Setenv("CI", "true")
	if _, err := updating(); err == nil {
		t.Error("golden files are rewritten on a CI machine")
	}
}

// replayed finds the tokens in what a script prints.
var replayed = regexp.MustCompile(`--replay ([A-Za-z0-9_-]+)`)

// TestGoldenReplay: each token in a golden file, which holds the parameters, too, repeats an execution that the file
// shows.
func TestGoldenReplay(t *testing.T) {
	scripts, _ := pairScripts(treeFiles(t))
	t.Chdir(root)
	tokens := 0
	for _, script := range scripts {
		golden, err := os.ReadFile(filepath.FromSlash(goldenName(script)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range replayed.FindAllSubmatch(golden, -1) {
			tokens++
			got, err := runScript(script, []string{"--replay", string(m[1])})
			if err != nil {
				t.Errorf("%s: %s: %v", script, m[1], err)
				continue
			}
			paragraphs := bytes.Split(bytes.TrimSpace(got), []byte("\n\n"))
			if table := paragraphs[len(paragraphs)-1]; !bytes.Contains(table, []byte("\nstep ")) ||
				!bytes.Contains(golden, table) {
				t.Errorf("%s: %s: what it repeats is not in the golden file:\n%s", script, m[1], got)
			}
		}
	}
	if tokens == 0 {
		t.Fatal("found no tokens: the test looks for the wrong text")
	}
	t.Logf("%d tokens", tokens)
}
