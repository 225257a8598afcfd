package bridge

import (
	"fmt"
	"slices"
	"strings"
)

// An Export is what a module gives under a name.
type Export struct {
	Name string
	// Function says that it is a function, LanguageModel that it is an object with a function of that
	// name.
	Function, LanguageModel bool
}

const (
	defaultExport = "default"
	// WholeModule is the name of the choice of a module itself, with all its exports.
	WholeModule = "*"
)

// FactoryExport chooses the export with which a package makes its provider: the one that is configured,
// else the only function create… with a capital behind it, of several the one that is called after the
// package, and if there is none the default export, or else the module itself if one of its exports is
// languageModel. The error is an *[Error] of kind BadExport, AmbiguousExport or NoExport.
func FactoryExport(exports []Export, pkg, configured string) (string, error) {
	if configured != "" {
		if e := named(exports, configured); !e.Function && !e.LanguageModel {
			return "", badExport(exports, pkg, "factoryExport", configured, "a function or an object with languageModel")
		}
		return configured, nil
	}
	name, err := conventional(exports, pkg, isFactoryName, "create"+stem(pkg), "factoryExport")
	if name != "" || err != nil {
		return name, err
	}
	if e := named(exports, defaultExport); e.Function || e.LanguageModel {
		return defaultExport, nil
	}
	if named(exports, "languageModel").Function {
		return WholeModule, nil
	}
	return "", &Error{Kind: NoExport, Package: pkg, Text: fmt.Sprintf(
		"none of the exports (%s) makes a provider: name one with factoryExport", list(exports))}
}

// PluginExport chooses the export that is the package's plugin: the one that is configured, else the
// only function …Plugin, of several the one that is called after the package, and if there is none the
// default export if that is a function and not the factory. It is "" if the package has no plugin. The
// error is an *[Error] of kind BadExport or AmbiguousExport.
func PluginExport(exports []Export, pkg, configured, factory string) (string, error) {
	if configured != "" {
		if !named(exports, configured).Function {
			return "", badExport(exports, pkg, "pluginExport", configured, "a function")
		}
		return configured, nil
	}
	name, err := conventional(exports, pkg, isPluginName, stem(pkg)+"Plugin", "pluginExport")
	if name != "" || err != nil {
		return name, err
	}
	if factory != defaultExport && named(exports, defaultExport).Function {
		return defaultExport, nil
	}
	return "", nil
}

func isFactoryName(name string) bool {
	rest, ok := strings.CutPrefix(name, "create")
	return ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z'
}

func isPluginName(name string) bool { return strings.HasSuffix(name, "Plugin") }

// conventional chooses among the functions whose names follow a convention: the only one, or the
// expected one of several. It is "" if there is none.
func conventional(
	exports []Export, pkg string, follows func(string) bool, expected, field string,
) (string, error) {
	var found []Export
	for _, e := range exports {
		if e.Function && follows(e.Name) {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 0:
		return "", nil
	case len(found) == 1:
		return found[0].Name, nil
	case named(found, expected).Name != "":
		return expected, nil
	}
	return "", &Error{Kind: AmbiguousExport, Package: pkg, Text: fmt.Sprintf(
		"several exports could be meant (%s): name one with %s", list(found), field)}
}

func named(exports []Export, name string) Export {
	if i := slices.IndexFunc(exports, func(e Export) bool { return e.Name == name }); i >= 0 {
		return exports[i]
	}
	return Export{}
}

func badExport(exports []Export, pkg, field, name, want string) error {
	return &Error{Kind: BadExport, Package: pkg, Text: fmt.Sprintf(
		"%s: the export %q is not %s; the exports are %s", field, name, want, list(exports))}
}

// list names exports for a message.
func list(exports []Export) string {
	if len(exports) == 0 {
		return "none"
	}
	names := make([]string, len(exports))
	for i, e := range exports {
		names[i] = e.Name
	}
	return strings.Join(names, ", ")
}
