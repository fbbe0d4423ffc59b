package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/scripts"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the built-in scenarios",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			out := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, name := range scripts.Names() {
				text, _, _ := scripts.Source(name)
				fmt.Fprintf(out, "%s\t%s\n", name, scripts.Summary(text))
			}
			return out.Flush()
		},
	}
}
