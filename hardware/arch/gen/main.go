// Command gen checks the declarations of an arch package and writes its fields_gen.go: the table of registers,
// fields, masks and comments from which the REPL decodes, traces name, and the reference is printed. Like stringer
// it runs under go generate; nothing about a register is typed twice.
//
//	go run github.com/hwscript/hwscript/hardware/arch/gen DIR
//
// The rules it holds the declarations to are in check.go.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// generated is the file that gen writes, and does not read.
const generated = "fields_gen.go"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	text, err := generate(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, generated), text, 0o644)
}

// generate loads, checks and renders the package in dir.
func generate(dir string) ([]byte, error) {
	p, err := load(dir)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p.render()
}
