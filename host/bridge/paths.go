package bridge

import (
	"path/filepath"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A PathBridge tells plugins where the host keeps its files. Whatever runs the plugins publishes it, as
// one object under each of Keys, with functions for ProjectConfigDirs. All paths are absolute if the
// environment has a working directory.
type PathBridge struct {
	// Keys are those of the global symbols, the current one first.
	Keys []string
	// GlobalConfigDirs and GlobalDataDir are the root of the host's files.
	GlobalConfigDirs []string
	GlobalDataDir    string
	GlobalCacheDir   string
	// PlansDir is where plans are kept.
	PlansDir string
	// ConfigFileNames are the names of configuration files in these folders.
	ConfigFileNames []string
	// ProjectFolder is the name of the host's folder in a project.
	ProjectFolder string

	env Environment
}

// Paths makes the path bridge of a host. Its root is agentDir, what the host itself says, unless that
// is blank; else PI_CODING_AGENT_DIR; else the folder agent in PI_CONFIG_DIR, or the host's own folder,
// in the user's home.
func Paths(p *profile.Profile, env Environment, agentDir string) *PathBridge {
	root := agentDir
	if ecma.IsBlank(root) {
		root = env.get(agentDirVariable)
	}
	if root == "" {
		folder := env.get(folderVariable)
		if folder == "" {
			folder = p.Paths.Folder
		}
		root = filepath.Join(env.home(), folder, "agent")
	}
	root = env.absolute(root)
	return &PathBridge{
		Keys:             []string{"opencode.host.path-bridge", "opencode.compat.path-bridge"},
		GlobalConfigDirs: []string{root},
		GlobalDataDir:    root,
		GlobalCacheDir:   filepath.Join(root, "cache", "opencode-providers"),
		PlansDir:         filepath.Join(root, "plans"),
		ConfigFileNames:  []string{"settings.json", ConfigFile},
		ProjectFolder:    p.Paths.Folder,
		env:              env,
	}
}

// ProjectConfigDirs are the host's folders in a project, of which workspace is the root, "" for the
// working directory.
func (b *PathBridge) ProjectConfigDirs(workspace string) []string {
	return []string{filepath.Join(b.env.absolute(workspace), b.ProjectFolder)}
}

// AppendJSON appends the bridge as data, with the folders of one project:
//
//	{"keys":[…],"globalConfigDirs":[…],"globalDataDir":…,"globalCacheDir":…,"plansDir":…,
//	 "configFileNames":[…],"projectFolder":…,"projectConfigDirs":[…]}
func (b *PathBridge) AppendJSON(dst []byte, workspace string) []byte {
	w := jsonvalue.Begin(dst)
	texts := func(key string, list []string) {
		w.Key(key)
		w.Out = ordered.AppendTexts(w.Out, list)
	}
	texts("keys", b.Keys)
	texts("globalConfigDirs", b.GlobalConfigDirs)
	w.Text("globalDataDir", b.GlobalDataDir)
	w.Text("globalCacheDir", b.GlobalCacheDir)
	w.Text("plansDir", b.PlansDir)
	texts("configFileNames", b.ConfigFileNames)
	w.Text("projectFolder", b.ProjectFolder)
	texts("projectConfigDirs", b.ProjectConfigDirs(workspace))
	return w.End()
}
