package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"log"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

var variables = map[string]string{"HOME": "/home/ada", "PI_BRIDGE_HOST": "pi", "ACME_KEY": "sk-123"}

func environment() bridge.Environment {
	return bridge.Environment{Getenv: func(name string) string { return variables[name] }, Dir: "/work"}
}

func pi() *profile.Profile {
	p, err := profile.Named("pi")
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// acme is a package as whatever runs JavaScript gives it: a factory, and a plugin with a login and a model.
func acme(context.Context, *bridge.Entry) (*bridge.Module, error) {
	return &bridge.Module{
		Exports: []bridge.Export{{Name: "createAcme", Function: true}, {Name: "AcmePlugin", Function: true}},
		NewPlugin: func(context.Context, string, bridge.PluginInput) (*bridge.Plugin, error) {
			return &bridge.Plugin{
				Auth: &auth.Hook{Provider: "acme", Methods: []auth.Method{{Type: auth.OAuthType, Label: "Sign in to Acme"}}},
				Config: func(context.Context, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(`{"provider":{"acme":{"models":{"a-1":{"name":"A 1","options":{"tier":"fast"}}}}}}`), nil
				},
			}, nil
		},
		NewModel: func(_ context.Context, export string, options auth.Options, modelID string) (*bridge.LanguageModel, error) {
			return &bridge.LanguageModel{Version: history.V3, Stream: func(
				_ context.Context, call *history.CallOptions,
			) (iter.Seq2[*stream.Part, error], error) {
				return func(yield func(*stream.Part, error) bool) {
					text := fmt.Sprintf("%s(%s).%s with %s", export, options.Reveal(), modelID, call.ProviderOptions)
					_ = yield(&stream.Part{Type: stream.PartTextDelta, ID: "0", Delta: text}, nil) &&
						yield(&stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(`{"unified":"stop"}`)}, nil)
				}, nil
			}}, nil
		},
	}, nil
}

// From the configuration to the events of an answer.
func Example() {
	ctx := context.Background()
	files := map[string]string{"/home/ada/.pi/agent/pi-bridge.json": `{"providers":[{"package":"acme-provider","apiKey":"ACME_KEY"}]}`}
	config, err := bridge.Load(environment(), func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		log.Fatal(err)
	}
	host := &bridge.Host{Profile: pi(), Env: environment(), Load: acme}
	providers, errs := host.RegisterAll(ctx, &config)
	for i, p := range providers {
		if errs[i] != nil {
			log.Print(errs[i]) // the others are of use
			continue
		}
		r := p.Registration()
		fmt.Println(r.Provider, r.API, r.BaseURL, r.Login, r.APIKey.Reveal(), len(r.Models), r.Dynamic)
		request := &bridge.Request{
			Model:   stream.Model{ID: "a-1", API: r.API, Provider: r.Provider},
			Context: &history.Context{Messages: []json.RawMessage{history.UserMessage("hello")}},
			Key:     func(context.Context) (auth.Secret, error) { return auth.NewSecret("sk-123"), nil },
		}
		for e := range p.Events(ctx, request) {
			fmt.Printf("%s %q\n", e.Type, e.Delta)
		}
	}
	// Output:
	// acme acme-bridge opencode-plugin:acme-provider Sign in to Acme $ACME_KEY 1 refreshModels
	// start ""
	// text_start ""
	// text_delta "createAcme({\"apiKey\":\"sk-123\"}).a-1 with {\"acme\":{\"tier\":\"fast\"}}"
	// done ""
}

func ExampleHost_Register() {
	host := &bridge.Host{Profile: pi(), Env: environment(), Load: acme}
	p, err := host.Register(context.Background(), &bridge.Entry{Package: "acme", ProviderName: "mine", Models: []auth.Secret{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(p.Registration().Reveal()))
	_, err = host.Register(context.Background(), &bridge.Entry{Package: "acme", API: "openai-completions"})
	fmt.Println(err)
	// Output:
	// {"name":"mine","declaredId":"acme","optionsKey":"acme","package":"acme","notes":[],"config":{"baseUrl":"opencode-plugin:acme","api":"mine-bridge","oauth":{"name":"Sign in to Acme"}}}
	// bridge: "acme": the api "openai-completions" is one of pi's own: leave it out or choose another name
}

// A host lists the models of a provider again.
func ExampleProvider_Models() {
	host := &bridge.Host{Profile: pi(), Env: environment(), Load: acme}
	p, err := host.Register(context.Background(), &bridge.Entry{Package: "acme"})
	if err != nil {
		log.Fatal(err)
	}
	models, err := p.Models().List(context.Background(), nil)
	fmt.Println(len(models), err)
	label, ok := p.Account().Label()
	fmt.Println(label, ok)
	// Output:
	// 1 <nil>
	// Sign in to Acme true
}

// A call that fails before the model streams is told by its events.
func ExampleCall() {
	call := &bridge.Call{
		History: history.Config{Profile: pi()},
		Model:   stream.Model{ID: "a-1", API: "acme-bridge", Provider: "acme"},
		Context: &history.Context{},
		Key:     func(context.Context) (auth.Secret, error) { return bridge.ScalarKey([]byte(`12345678`)), nil },
		NewModel: func(_ context.Context, key auth.Secret) (*bridge.LanguageModel, error) {
			return nil, fmt.Errorf("key %s is not valid", key.Reveal())
		},
	}
	for e := range call.Events(context.Background()) {
		fmt.Printf("%s %q\n", e.Type, e.Message.ErrorMessage)
	}
	// Output:
	// start ""
	// error "key [redacted] is not valid"
}

func ExampleProvider_Call() {
	host := &bridge.Host{Profile: pi(), Env: environment(), Load: acme}
	p, err := host.Register(context.Background(), &bridge.Entry{Package: "acme"})
	if err != nil {
		log.Fatal(err)
	}
	call := p.Call(&bridge.Request{Model: stream.Model{ID: "a-1"}, Context: &history.Context{}})
	call.Prepare = nil // without the options of the entry
	for e := range call.Events(context.Background()) {
		fmt.Printf("%s %q\n", e.Type, e.Delta)
	}
	// Output:
	// start ""
	// text_start ""
	// text_delta "createAcme({}).a-1 with "
	// done ""
}

func ExampleParseConfig() {
	_, err := bridge.ParseConfig("pi-bridge.json", []byte("{\"providers\": [\n  {\"package\": \"acme\"},\n]}"))
	fmt.Println(err)
	config, err := bridge.ParseConfig("pi-bridge.json", []byte(`{"providers":[{"packageSpecifier":"acme","api":5}]}`))
	fmt.Println(string(config.Reveal()), err)
	fmt.Println(config.Providers[0].Err())
	// Output:
	// bridge: pi-bridge.json:3:1: no comma is allowed behind the last member: remove it
	// {"providers":[{"api":5,"package":"acme"}]} <nil>
	// bridge: pi-bridge.json:1:48: "acme": api must be a string
}

func ExampleSearchPaths() {
	for _, path := range bridge.SearchPaths(environment()) {
		fmt.Println(path)
	}
	// Output:
	// /home/ada/.pi/agent/pi-bridge.json
	// /home/ada/.pi/pi-bridge.json
	// /home/ada/.omp/agent/pi-bridge.json
}

func ExampleDetectHost() {
	p, how, err := bridge.DetectHost(environment(), func(string) bool { return false })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Name, how)
	p, how, err = bridge.DetectHost(bridge.Environment{}, func(pkg string) bool { return pkg == "@oh-my-pi/pi-ai" })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Name, how)
	// Output:
	// pi env
	// omp probe
}

func ExamplePaths() {
	paths := bridge.Paths(pi(), environment(), "")
	fmt.Println(paths.GlobalDataDir, paths.ProjectConfigDirs("repo"))
	fmt.Println(string(paths.AppendJSON(nil, "/work/repo")))
	// Output:
	// /home/ada/.pi/agent [/work/repo/.pi]
	// {"keys":["opencode.host.path-bridge","opencode.compat.path-bridge"],"globalConfigDirs":["/home/ada/.pi/agent"],"globalDataDir":"/home/ada/.pi/agent","globalCacheDir":"/home/ada/.pi/agent/cache/opencode-providers","plansDir":"/home/ada/.pi/agent/plans","configFileNames":["settings.json","pi-bridge.json"],"projectFolder":".pi","projectConfigDirs":["/work/repo/.pi"]}
}

func ExampleFactoryExport() {
	exports := []bridge.Export{{Name: "createAcme", Function: true}, {Name: "createOther", Function: true}, {Name: "default", Function: true}}
	factory, err := bridge.FactoryExport(exports, "acme-provider@1.2", "")
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := bridge.PluginExport(exports, "acme-provider@1.2", "", factory)
	fmt.Println(factory, plugin, err)
	_, err = bridge.FactoryExport(exports, "else", "")
	fmt.Println(err)
	// Output:
	// createAcme default <nil>
	// bridge: "else": several exports could be meant (createAcme, createOther): name one with factoryExport
}

func ExampleHost_NameProvider() {
	host := &bridge.Host{Profile: pi()}
	names, err := host.NameProvider(&bridge.Entry{Package: "@openai/plugin"}, "openai")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names.Provider, names.API, names.OptionsKey, names.Renamed)
	fmt.Println(bridge.DeriveName("@openai/plugin"))
	// Output:
	// openai-opencode openai-opencode-bridge openai true
	// openai-plugin
}

func ExampleIntegrationOf() {
	fmt.Println(bridge.IntegrationOf("@scope/cursor-opencode-provider@1.2") == stream.Cursor, bridge.StripVersion("@scope/p@1.2"))
	// Output: true @scope/p
}

func ExampleHost_KeyReference() {
	host := &bridge.Host{Profile: pi(), Env: environment()}
	for _, value := range []string{"ACME_KEY", "OTHER_KEY", "!pass show acme"} {
		fmt.Println(host.KeyReference(auth.NewSecret(value)).Reveal())
	}
	// Output:
	// $ACME_KEY
	// OTHER_KEY
	// !pass show acme
}

// The tools that a host registers, each with what it does on this host as data.
func ExampleHostTools() {
	config := &bridge.Config{Providers: []bridge.Entry{{Package: "cursor-opencode-provider"}}}
	for _, tool := range bridge.HostTools(config, environment()) {
		fmt.Println(tool.Name)
		if action, ok := pi().Action(tool.Name); ok {
			fmt.Printf("%s\n", action.AppendJSON(nil))
		}
	}
	// Output:
	// plan_enter
	// {"tool":"plan_enter","package":"@pify/plan-mode","steps":[{"do":"enterByPackage","command":"/plan"},{"do":"deactivate","tool":"plan_enter"}]}
	// plan_exit
	// {"tool":"plan_exit","package":"@pify/plan-mode","steps":[{"do":"command","command":"/plan off"}]}
	// cursor_plan_stage
	// cursor_image_save
}

func ExampleActivate() {
	config := &bridge.Config{Providers: []bridge.Entry{{Package: "cursor-opencode-provider"}}}
	tools := bridge.HostTools(config, environment())
	fmt.Println(bridge.Activate(pi(), []string{"read", "bash"}, []string{"read", "bash", "grep", "find", "ls", "plan_enter"}, tools))
	// Output: [read bash find grep ls plan_enter] true
}
