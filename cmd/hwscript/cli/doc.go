package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host/api"
)

// docFormats are the forms of the whole reference.
var docFormats = []struct {
	name  string
	write func(r *api.Reference) string
}{
	{"text", func(r *api.Reference) string { return r.Text(api.DefaultWidth) }},
	{"markdown", bindings.Markdown},
	{"luals", bindings.LuaLS},
}

func docFormatNames() []string {
	names := make([]string, len(docFormats))
	for i, f := range docFormats {
		names[i] = f.name
	}
	return names
}

func reference() *api.Reference { return bindings.NewReference() }

func (a *app) docCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "doc [flags] [NAME]",
		Short: "Print the reference of what scripts can use, or one entry of it",
		Long: "Print the reference of what scripts can use, or the entry of NAME: a module, a function, a class,\n" +
			"a method, an option table, or a register.",
		Example: "  hwscript doc | less\n" +
			"  hwscript doc hw.machine\n" +
			"  hwscript doc Machine:run\n" +
			"  hwscript doc GICD_CTLR\n" +
			"  hwscript doc --format luals -o hwscript.d.lua   # for the Lua language server",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageErrorf("doc: unexpected argument %q", args[1])
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			r := reference()
			return slices.Concat(r.Names(), r.TopicNames()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := documentation(args, format)
			if err != nil {
				return err
			}
			return a.writeDoc(output, text)
		},
	}
	cmd.Flags().StringVar(&format, "format", docFormats[0].name, "print the whole as `FORM`: text, markdown or luals")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, once complete, instead of standard output")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return docFormatNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// documentation is the text that doc prints.
func documentation(names []string, format string) (string, error) {
	r := reference()
	i := slices.Index(docFormatNames(), format)
	switch {
	case i < 0:
		if s := api.Suggest(format, docFormatNames()); s != "" {
			return "", usageErrorf("doc: no format %q; did you mean %q?", format, s)
		}
		return "", usageErrorf("doc: no format %q; there is text, markdown and luals", format)
	case len(names) == 0:
		return docFormats[i].write(r), nil
	case i > 0:
		return "", usageErrorf("doc: --format %s is for the whole reference, not for %s alone", format, names[0])
	}
	entry, ok := r.Find(names[0])
	if ok {
		return entry.Text(api.DefaultWidth), nil
	}
	if s := r.Suggest(names[0]); s != "" {
		return "", usageErrorf("doc: nothing is called %q; did you mean %q?", names[0], s)
	}
	return "", usageErrorf("doc: nothing is called %q; hwscript doc lists everything", names[0])
}

func (a *app) writeDoc(output, text string) error {
	if output == "" {
		_, err := io.WriteString(a.stdout, text)
		return err
	}
	file, err := createAtomic(output)
	if err != nil {
		return err
	}
	defer file.discard()
	if _, err := io.WriteString(file, text); err != nil {
		return err
	}
	return file.commit()
}
