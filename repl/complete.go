package repl

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hwscript/hwscript/host"
)

// completion is what the Tab key finds: words that can take the place of the last len(partial) bytes before the cursor.
type completion struct {
	partial string
	words   []string
}

// complete finds what can stand at the end of text, which is what has been typed before the cursor: lines of an
// unfinished input, or the beginning of one. after is what follows the cursor in the line.
func complete(h *host.Host, text, after string) completion {
	switch {
	case strings.HasPrefix(text, ":"):
		return completeCommand(text)
	case strings.HasPrefix(text, "?"):
		return completeTopic(h, text[1:])
	}
	if line := text[strings.LastIndexByte(text, '\n')+1:]; strings.Trim(line, " \t") == "" {
		return completion{words: []string{indentation}}
	}
	f := inference{host: h, tokens: lex(text)}
	c := f.complete(text)
	if last := len(f.tokens) - 1; last >= 0 && f.tokens[last].open && len(c.words) == 1 {
		c.words[0] += closingQuote(strings.TrimSuffix(text, c.partial), after)
	}
	return c
}

// closingQuote is the quote that closes a string whose first quote is the last byte before it, "" if that has been
// typed.
func closingQuote(before, after string) string {
	quote := before[len(before)-1:]
	if quote != `"` && quote != "'" || strings.HasPrefix(after, quote) {
		return ""
	}
	return quote
}

// indentation is what Tab means at the beginning of a line.
const indentation = "  "

func (f *inference) complete(text string) completion {
	last := len(f.tokens) - 1
	if last < 0 {
		return completion{}
	}
	switch t := f.tokens[last]; {
	case t.kind == commentToken, t.kind == numberToken && strings.HasSuffix(text, t.text):
		return completion{}
	case t.open:
		return completion{t.text, matching(t.text, f.stringWords(last))}
	case t.kind == nameToken || t.kind == keywordToken:
		if !strings.HasSuffix(text, t.text) {
			break // a space stands between it and the cursor
		}
		if f.isSymbol(last-1, ".", ":") {
			return completion{t.text, matching(t.text, f.members(last-1))}
		}
		return completion{t.text, matching(t.text, f.names(last))}
	case f.isSymbol(last, ".", ":"):
		return completion{"", matching("", f.members(last))}
	}
	return completion{"", matching("", f.names(last+1))}
}

// members lists what can follow the dot or colon at token i.
func (f *inference) members(i int) []string {
	shape := f.before(i - 1).shape
	if f.isSymbol(i, ":") {
		return shape.Methods()
	}
	return shape.Fields()
}

// names lists what can stand at token i on its own: the entries of an option table, or variables and keywords.
func (f *inference) names(i int) []string {
	if f.isSymbol(i-1, "{", ",", ";") {
		if bracket, _ := f.enclosing(i); f.isSymbol(bracket, "{") {
			if options := f.tableOptions(bracket); options != nil {
				return options.OptionNames()
			}
		}
	}
	names := append(f.host.GlobalNames(), keywords...)
	for k, t := range f.tokens[:min(i, len(f.tokens))] {
		if t.kind == nameToken && !f.isSymbol(k-1, ".", ":") {
			names = append(names, t.text) // locals and parameters of the unfinished input
		}
	}
	return names
}

// stringWords lists the strings that can stand at token i.
func (f *inference) stringWords(i int) []string {
	if name := f.calledName(i); name == "require" {
		var names []string
		for _, m := range f.host.Modules() {
			names = append(names, m.Name)
		}
		return names
	} else if name == "help" {
		return append(f.host.Reference().Names(), f.host.Reference().TopicNames()...)
	}
	param, _ := f.expected(i)
	switch {
	case param == nil:
		return nil
	case param.Name == registerParam:
		return f.host.Reference().TopicNames()
	}
	return param.Choices()
}

// registerParam is what functions call a parameter that names a register.
const registerParam = "register"

// calledName is the global function of which token i is the first argument, "" if it is none's.
func (f *inference) calledName(i int) string {
	i--
	if f.isSymbol(i, "(") {
		i--
	}
	if i < 0 || f.tokens[i].kind != nameToken || f.isSymbol(i-1, ".", ":") {
		return ""
	}
	return f.tokens[i].text
}

// matching returns the words that begin with partial, sorted and each once; without any, those that do but for the
// case of letters. Names that begin with an underscore are for those who ask for them. A word that is complete is no
// reason to list it alone.
func matching(partial string, words []string) []string {
	pick := func(begins func(word string) bool) []string {
		seen := map[string]bool{}
		var list []string
		for _, w := range words {
			if !seen[w] && begins(w) && (partial != "" || !strings.HasPrefix(w, "_")) {
				seen[w] = true
				list = append(list, w)
			}
		}
		sort.Strings(list)
		if len(list) == 1 && list[0] == partial {
			return nil
		}
		return list
	}
	if list := pick(func(w string) bool { return strings.HasPrefix(w, partial) }); len(list) > 0 {
		return list
	}
	lower := strings.ToLower(partial)
	return pick(func(w string) bool { return strings.HasPrefix(strings.ToLower(w), lower) })
}

// completeCommand completes a command's name, or the file that it takes.
func completeCommand(text string) completion {
	name, arg, hasArg := strings.Cut(text, " ")
	if !hasArg {
		var names []string
		for _, c := range commands {
			names = append(names, c.name)
		}
		return completion{text, matching(text, names)}
	}
	arg = strings.TrimLeft(arg, " ")
	if c := findCommand(name); c != nil && c.file {
		return completion{arg, matching(arg, fileNames(arg))}
	}
	return completion{}
}

// fileNames lists the files and folders in the folder that a file name begins with.
func fileNames(partial string) []string {
	dir, base := filepath.Split(partial)
	entries, err := os.ReadDir(filepath.Clean("./" + dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, dir+name)
	}
	return names
}

// completeTopic completes what help can be asked for: an expression, or a name that the reference knows.
func completeTopic(h *host.Host, topic string) completion {
	known := append(append([]string(nil), h.Reference().Names()...), h.Reference().TopicNames()...)
	words := matching(topic, known)
	if len(lex(topic)) > 0 {
		f := inference{host: h, tokens: lex(topic)}
		c := f.complete(topic)
		head := strings.TrimSuffix(topic, c.partial)
		for _, w := range c.words {
			if !isKeyword[w] {
				words = append(words, head+w)
			}
		}
	}
	return completion{topic, matching(topic, words)}
}
