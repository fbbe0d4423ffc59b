package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of hwscript, of its Lua and of Go",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = new(debug.BuildInfo)
			}
			_, err := fmt.Fprint(a.stdout, versionText(info))
			return err
		},
	}
}

// versionText describes a build.
func versionText(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(unknown)"
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := "hwscript " + version
	if revision := settings["vcs.revision"]; revision != "" {
		text += " " + revision
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	text += "\nLua 5.1"
	for _, dep := range info.Deps {
		if dep.Path == "github.com/yuin/gopher-lua" {
			text += " (gopher-lua " + dep.Version + ")"
		}
	}
	return text + "\n" + info.GoVersion + "\n"
}
