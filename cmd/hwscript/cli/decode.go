package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host/api"
)

func (a *app) decodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "decode REGISTER VALUE...",
		Short: "Take the value of a register apart into its fields",
		Long: "Take the value of a register apart into its fields, one a line: place, name, value, meaning.\n" +
			"VALUE is hexadecimal (0x), binary (0b) or decimal; underscores may group its digits. SMMU_CMD, SMMU_EVT and\n" +
			"SMMU_PRI are whole entries of an SMMU's queues, of several words of 64 bits; ITS_CMD is a command of an ITS,\n" +
			"with up to four, of which those that are left out are 0.",
		Example: "  hwscript decode ICC_SGI1R_EL1 0x10003020001\n" +
			"  hwscript decode SMMU_CMD 0x0fc01046 0x80001000\n" +
			"  hwscript decode ITS_CMD 0x8_0000_000a 0x2000_0000_0000 0x1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 && (args[0] == bindings.ITSCommand || bindings.IsEntry(args[0])) {
				return nil
			}
			return exactly("REGISTER", "VALUE")(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return reference().TopicNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			words := make([]uint64, len(args)-1)
			for i, text := range args[1:] {
				v, err := api.ParseU64(text)
				if err != nil {
					return usageErrorf("decode: %v", err)
				}
				words[i] = v
			}
			decoded, err := decode(args[0], words)
			if err != nil {
				return usageErrorf("decode: %v", err)
			}
			_, err = fmt.Fprintln(a.stdout, decoded)
			return err
		},
	}
}

// decode takes a register, a command or an entry of a queue apart.
func decode(name string, words []uint64) (string, error) {
	if bindings.IsEntry(name) {
		return bindings.DecodeEntry(name, words)
	}
	var d *bindings.DecodedRegister
	var err error
	if name == bindings.ITSCommand {
		d, err = bindings.DecodeCommand(words...)
	} else {
		d, err = bindings.Decode(name, words[0])
	}
	if err != nil {
		return "", err
	}
	return d.String(), nil
}
