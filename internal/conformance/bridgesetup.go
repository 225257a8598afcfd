package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

func setupCases() Suite {
	return Suite{
		"config":       {run: configCase},
		"collision":    {run: collisionCase},
		"path-bridge":  {run: pathBridgeCase},
		"auth":         {run: authCase},
		"registration": {run: registrationCase},
	}
}

// errorKind is a failing result. Errors that a case cannot expect are returned.
func errorKind(err error) (any, error) {
	var ofBridge *bridge.Error
	var ofAuth *auth.Error
	switch {
	case errors.As(err, &ofBridge):
		return fields{"errorKind", string(ofBridge.Kind)}, nil
	case errors.As(err, &ofAuth) && ofAuth.Kind == auth.KindValidation:
		return fields{"errorKind", string(ofAuth.Kind), "errorMessage", ofAuth.Text}, nil
	case errors.As(err, &ofAuth):
		return fields{"errorKind", string(ofAuth.Kind)}, nil
	}
	return nil, err
}

func environmentOf(v Value) bridge.Environment {
	variables := map[string]string{}
	for i, name := range v.keys {
		variables[name] = v.items[i].str("")
	}
	return bridge.Environment{Getenv: func(name string) string { return variables[name] }}
}

func configCase(_ context.Context, c *testCase) (any, error) {
	in := c.input
	switch op := in.Get("op").str(""); op {
	case "search-paths":
		return list(bridge.SearchPaths(environmentOf(in.Get("env")))), nil
	case "load":
		return loaded([]byte(in.Get("json").raw))
	case "load-text":
		return loaded([]byte(in.Get("text").str("")))
	case "load-absent":
		read := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
		config, err := bridge.Load(bridge.Environment{Home: "/h"}, read)
		if err != nil || config.Path == "" {
			return nil, err
		}
		return config.Reveal(), nil
	case "derive-name":
		return bridge.DeriveName(in.Get("package").str("")), nil
	case "substitute":
		value, err := auth.Substitute(in.Get("value").raw, keyOf(in.Get("apiKey")))
		if err != nil || value == nil {
			return nil, err
		}
		return value, nil
	case "api-key-ref":
		p, err := profile.Named(in.Get("host").str(""))
		if err != nil {
			return nil, err
		}
		value := auth.NewSecret(in.Get("value").str(""))
		host := &bridge.Host{Profile: p, Env: environmentOf(in.Get("env")), Reference: c.reference}
		return host.KeyReference(value).Reveal(), nil
	case "factory-export":
		configured := in.Get("factoryExport").str("")
		name, err := bridge.FactoryExport(functions(in.Get("exports")), in.Get("package").str(""), configured)
		if err != nil {
			return errorKind(err)
		}
		return name, nil
	case "plugin-export":
		configured, factory := in.Get("pluginExport").str(""), ""
		if in.Get("defaultIsFactory").isTrue() {
			factory = "default"
		}
		name, err := bridge.PluginExport(functions(in.Get("exports")), in.Get("package").str(""), configured, factory)
		if err != nil {
			return errorKind(err)
		}
		return orNull(name), nil
	default:
		return nil, fmt.Errorf("config: unknown op %q", op)
	}
}

func loaded(data []byte) (any, error) {
	config, err := bridge.ParseConfig(bridge.ConfigFile, data)
	if err != nil {
		return errorKind(err)
	}
	return config.Reveal(), nil
}

// keyOf is a key, of which null means none.
func keyOf(v Value) auth.Secret {
	if text := v.ptr(); text != nil {
		return auth.NewSecret(*text)
	}
	return auth.Secret{}
}

// functions are exports that are all functions.
func functions(names Value) []bridge.Export {
	var exports []bridge.Export
	for _, name := range names.strs() {
		exports = append(exports, bridge.Export{Name: name, Function: true})
	}
	return exports
}

func collisionCase(_ context.Context, c *testCase) (any, error) {
	in := c.input
	switch op := in.Get("op").str(""); op {
	case "provider-id":
		p, err := profile.Named(in.Get("host").str(""))
		if err != nil {
			return nil, err
		}
		host := &bridge.Host{Profile: p, Reference: c.reference}
		names, err := host.NameProvider(&bridge.Entry{Package: "x"}, in.Get("declaredId").str(""))
		if err != nil {
			return errorKind(err)
		}
		return fields{"providerName", names.Provider, "api", names.API}, nil
	case "api":
		p, err := profile.Named(in.Get("host").str(""))
		if err != nil {
			return nil, err
		}
		host := &bridge.Host{Profile: p, Reference: c.reference}
		_, err = host.NameProvider(&bridge.Entry{Package: "x", API: in.Get("api").str("")}, "")
		var refused *bridge.Error
		if err != nil && (!errors.As(err, &refused) || refused.Kind != bridge.ReservedAPI) {
			return nil, err
		}
		return fields{"rejected", refused != nil}, nil
	case "detect-host":
		resolvable := in.Get("resolvable").strs()
		resolves := func(pkg string) bool { return slices.Contains(resolvable, pkg) }
		p, how, err := bridge.DetectHost(environmentOf(in.Get("env")), resolves)
		if err != nil {
			return errorKind(err)
		}
		return fields{"host", p.Name, "source", how}, nil
	case "package":
		pkg := in.Get("package").str("")
		integration := bridge.IntegrationOf(pkg)
		return fields{
			"isCursor", integration == stream.Cursor, "isDevin", integration == stream.Devin,
			"stripped", bridge.StripVersion(pkg),
		}, nil
	default:
		return nil, fmt.Errorf("collision: unknown op %q", op)
	}
}

func pathBridgeCase(_ context.Context, c *testCase) (any, error) {
	p, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	paths := bridge.Paths(p, environmentOf(c.input.Get("env")), c.input.Get("hostAgentDir").str(""))
	workspace := c.input.Get("workspaceRoot").str("")
	published := map[string][]byte{}
	for _, key := range paths.Keys {
		published[key] = paths.AppendJSON(nil, workspace)
	}
	current, legacy := published["opencode.host.path-bridge"], published["opencode.compat.path-bridge"]
	return fields{
		"globalConfigDirs", paths.GlobalConfigDirs, "globalDataDir", paths.GlobalDataDir,
		"globalCacheDir", paths.GlobalCacheDir,
		"projectConfigDirs", paths.ProjectConfigDirs(workspace),
		"configFileNames", paths.ConfigFileNames, "plansDir", paths.PlansDir,
		"legacyKeySame", current != nil && bytes.Equal(current, legacy),
	}, nil
}
