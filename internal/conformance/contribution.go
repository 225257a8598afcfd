package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// errNotText stands for a callback that answers something that is not a text, which a callback in Go
// cannot.
var errNotText = errors.New("the callback answered neither text nor nothing")

// register registers a contribution given as data.
func register(r *registry.Registry, v Value, line039 bool) (*registry.Registration, error) {
	render, err := callback(r, v.Get("content"), line039)
	if err != nil {
		return nil, err
	}
	return r.Register(registry.Contribution{
		ID:          v.Get("id").str(""),
		Priority:    v.Get("priority").number(),
		Providers:   v.Get("providers").strs(),
		ActiveTools: v.Get("activeTools").strs(),
		Render:      render,
	})
}

type renderFunc = func(context.Context, *registry.RenderContext) (string, error)

// callback makes a render function of a literal or a described callback.
func callback(r *registry.Registry, content Value, line039 bool) (renderFunc, error) {
	if content.kind != jsonspan.Object {
		return registry.Text(content.str("")), nil
	}
	message := errors.New(content.Get("message").str(""))
	answer := func(rc func(*registry.RenderContext) string) (renderFunc, error) {
		return func(_ context.Context, c *registry.RenderContext) (string, error) { return rc(c), nil }, nil
	}
	either := func(test func(*registry.RenderContext) bool) (renderFunc, error) {
		return answer(func(c *registry.RenderContext) string {
			if test(c) {
				return content.Get("then").str("")
			}
			return content.Get("else").str("")
		})
	}
	switch fn := content.Get("fn").str(""); fn {
	case "template":
		return answer(func(c *registry.RenderContext) string { return template(content.Get("text").str(""), c) })
	case "nothing", "null":
		return registry.Text(""), nil
	case "number":
		return func(context.Context, *registry.RenderContext) (string, error) { return "", errNotText }, nil
	case "throw", "throw-string":
		return func(context.Context, *registry.RenderContext) (string, error) { return "", message }, nil
	case "if-prompt":
		equals := content.Get("equals").ptr()
		return either(func(c *registry.RenderContext) bool {
			return c.Prompt == equals || c.Prompt != nil && equals != nil && *c.Prompt == *equals
		})
	case "if-tool":
		return either(func(c *registry.RenderContext) bool {
			return slices.Contains(c.ActiveTools, content.Get("tool").str(""))
		})
	case "register-more":
		return func(context.Context, *registry.RenderContext) (string, error) {
			_, err := register(r, content, line039)
			return content.Get("then").str(""), err
		}, nil
	case "keys":
		return answer(func(c *registry.RenderContext) string { return contextKeys(c, line039) })
	default:
		return nil, fmt.Errorf("unknown callback %q", fn)
	}
}

func template(text string, c *registry.RenderContext) string {
	prompt := ""
	if c.Prompt != nil {
		prompt = *c.Prompt
	}
	skills := make([]string, len(c.Options.Skills))
	for i, s := range c.Options.Skills {
		skills[i] = s.Name
	}
	return strings.NewReplacer(
		"{prompt}", prompt,
		"{provider}", c.Provider,
		"{sessionId}", c.SessionID,
		"{tools}", strings.Join(c.ActiveTools, ","),
		"{cwd}", c.Options.CWD,
		"{skills}", strings.Join(skills, ","),
	).Replace(text)
}

// contextKeys names what is present in a render context, in order.
func contextKeys(c *registry.RenderContext, line039 bool) string {
	keys := []string{"activeTools"}
	add := func(key string, present bool) {
		if present {
			keys = append(keys, key)
		}
	}
	add("api", line039 && c.API != "")
	add("cwd", c.CWD != "")
	add("piSystemPrompt", c.SystemPrompt != nil)
	add("prompt", c.Prompt != nil)
	add("provider", c.Provider != "")
	return strings.Join(append(keys, "sessionId", "systemPromptOptions"), ",")
}

// failed describes an error as a result's members, by the kit's error kinds. An error of the runner
// itself is returned.
func failed(err error) (fields, error) {
	var contribution *envelope.ContributionError
	var adapter *payload.AdapterError
	switch {
	case errors.Is(err, registry.ErrIDRequired):
		return fields{"error", registry.ErrIDRequired.Error(), "errorKind", "id-required"}, nil
	case errors.Is(err, registry.ErrProviderRequired):
		return fields{"error", registry.ErrProviderRequired.Error(), "errorKind", "provider-required"}, nil
	case errors.Is(err, errNotText):
		return fields{"error", errNotText.Error(), "errorKind", "content-not-text"}, nil
	case errors.As(err, &contribution):
		return fields{"error", contribution.Err.Error(), "errorKind", "callback-failed"}, nil
	case errors.As(err, &adapter):
		return fields{"error", adapter.Err.Error(), "errorKind", "adapter-failed"}, nil
	}
	return nil, err
}

// looseErrors takes away the text of an error that is a JavaScript engine's.
func looseErrors(_ *testCase, expected, got Value) (Value, Value) {
	if expected.Get("errorKind").str("") == "content-not-text" {
		drop := func(key string, _ Value) bool { return key == "error" }
		return expected.without(drop), got.without(drop)
	}
	return expected, got
}

// renderContext reads a context; what it does not have is the kit's default.
func renderContext(v Value) (*registry.RenderContext, error) {
	rc := &registry.RenderContext{
		Provider:    v.Get("provider").str(""),
		API:         v.Get("api").str(""),
		ActiveTools: v.Get("activeTools").strs(),
		SessionID:   v.Get("sessionId").str("s1"),
		Prompt:      v.Get("prompt").ptr(),
		Options:     registry.PromptOptions{CWD: "/work/app"},
	}
	if options := v.Get("systemPromptOptions"); options.present() {
		var err error
		if rc.Options, err = promptOptions(options); err != nil {
			return nil, err
		}
	}
	return rc, nil
}
