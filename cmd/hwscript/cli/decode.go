package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host/api"
)

func (a *app) decodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "decode REGISTER VALUE",
		Short: "Take the value of a register apart into its fields",
		Long: "Take the value of a register apart into its fields, one a line: place, name, value, meaning.\n" +
			"VALUE is hexadecimal (0x), binary (0b) or decimal; underscores may group its digits.",
		Example: "  hwscript decode ICC_SGI1R_EL1 0x10003020001",
		Args:    exactly("REGISTER", "VALUE"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return reference().TopicNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			value, err := api.ParseU64(args[1])
			if err != nil {
				return usageErrorf("decode: %v", err)
			}
			decoded, err := bindings.Decode(args[0], value)
			if err != nil {
				return usageErrorf("decode: %v", err)
			}
			_, err = fmt.Fprintln(a.stdout, decoded)
			return err
		},
	}
}
