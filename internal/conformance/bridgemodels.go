package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	hostmodel "github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
)

func modelCases() Suite {
	return Suite{
		"variants":       {run: variantCase},
		"models":         {run: modelCase},
		"dynamic-models": {run: dynamicModels},
	}
}

func variantCase(_ context.Context, c *testCase) (any, error) {
	id, entry := c.input.Get("modelId").str(""), c.input.Get("entry").raw
	switch op := c.input.Get("op").str(""); op {
	case "expand":
		variants := hostmodel.Expand(id, entry, c.input.Get("splitDimensions").strs())
		out := make([]any, len(variants))
		for i := range variants {
			out[i] = variantFields(&variants[i])
		}
		return out, nil
	case "options-for-level":
		variants, pick := hostmodel.Expand(id, entry, nil), int(c.input.Get("pick").number())
		if pick < 0 || pick >= len(variants) {
			return nil, fmt.Errorf("pick: no variant %d", pick)
		}
		return fields{"optionsForLevel", variants[pick].Options(c.input.Get("level").str(""))}, nil
	case "thinking":
		host, err := profile.Named(c.input.Get("host").str(""))
		if err != nil {
			return nil, err
		}
		t := hostmodel.Declare(host, c.input.Get("levels").strs())
		return t.AppendJSON(nil), nil
	default:
		return nil, fmt.Errorf("variants: unknown op %q", op)
	}
}

func variantFields(v *hostmodel.Variant) fields {
	byLevel := fields{}
	for _, level := range v.Levels {
		byLevel = append(byLevel, level, v.OptionsByLevel[level])
	}
	return fields{
		"id", v.ID, "baseId", v.BaseID, "nameSuffix", v.NameSuffix, "levels", v.Levels,
		"optionsByLevel", byLevel, "defaultOptions", v.DefaultOptions,
	}
}

func modelCase(_ context.Context, c *testCase) (any, error) {
	host, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	options := hostmodel.Options{Profile: host}
	switch op := c.input.Get("op").str(""); op {
	case "entry":
		rows := hostmodel.Rows(c.input.Get("modelId").str(""), c.input.Get("entry").raw, options)
		out := make([]any, len(rows))
		for i, r := range rows {
			out[i] = fields{
				"model", r.Model, "call", fields{"entryOptions", r.EntryOptions, "variant", variantFields(&rows[i].Variant)},
			}
		}
		return out, nil
	case "catalog":
		catalog, ok := hostmodel.Harvest(c.input.Get("configAfterHook").raw, c.input.Get("preferProviderId").str(""), options)
		if !ok {
			return fields{"providerId", nil, "models", []any{}, "callIds", []any{}}, nil
		}
		return fields{"providerId", catalog.ProviderID, "models", list(catalog.Models()), "callIds", catalog.IDs()}, nil
	default:
		return nil, fmt.Errorf("models: unknown op %q", op)
	}
}

// dynamicModels asks for a list with a fetch and a store that the case describes. What is kept of a model
// is its id.
func dynamicModels(ctx context.Context, c *testCase) (any, error) {
	host, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	var seen any = "<not called>"
	dynamic := hostmodel.Dynamic[string]{
		Registered: idsOf(c.input.Get("registered")),
		Fetch: func(_ context.Context, key *string) ([]string, error) {
			seen = key
			if c.input.Get("fails").isTrue() {
				return nil, errors.New("fetch fails")
			}
			return idsOf(c.input.Get("fetched")), nil
		},
	}
	call := c.input.Get("call")
	published := []any{}
	var models []string // why a list is not fresh is no part of the kit
	if host.Models.Cached {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if call.Get("aborted").isTrue() {
			cancel()
		}
		models, _ = dynamic.Refresh(ctx, hostmodel.Refresh[string]{
			Offline: string(call.Get("allowNetwork").raw) == "false",
			Access:  call.Get("credential").Get("access").ptr(),
			Key:     call.Get("credential").Get("key").ptr(),
			Stored:  idsOf(call.Get("stored").Get("models")),
			Publish: func(_ context.Context, models []string, _ time.Time) error {
				if call.Get("publishFails").isTrue() {
					return errors.New("publish fails")
				}
				published = append(published, models)
				return nil
			},
		})
	} else {
		models, _ = dynamic.List(ctx, call.Get("apiKey").ptr())
	}
	return fields{"models", models, "fetchKey", seen, "published", published}, nil
}

// idsOf are the ids of a list of models, nil for no list.
func idsOf(list Value) []string {
	if !list.present() {
		return nil
	}
	ids := make([]string, len(list.items))
	for i, item := range list.items {
		ids[i] = item.Get("id").str("")
	}
	return ids
}
