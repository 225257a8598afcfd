package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
)

// Efforts become levels of thinking, and the fast variants a model of their own.
func ExampleExpand() {
	entry := json.RawMessage(`{"variants":{
		"low":  {"parameters":[{"id":"effort","value":"low"}, {"id":"fast","value":"false"}]},
		"high": {"parameters":[{"id":"effort","value":"high"},{"id":"fast","value":"false"}]},
		"fast": {"parameters":[{"id":"effort","value":"low"}, {"id":"fast","value":"true"}]}
	}}`)
	for _, v := range model.Expand("gpt", entry, nil) {
		fmt.Printf("%s%s %q\n", v.ID, v.NameSuffix, v.Levels)
	}
	// Output:
	// gpt ["low" "high"]
	// gpt-fast Fast ["low"]
}

// One entry as a host lists it.
func ExampleRows() {
	pi, err := profile.Named("pi")
	if err != nil {
		log.Fatal(err)
	}
	entry := json.RawMessage(`{"name":"Zed","reasoning":true,"limit":{"context":200000},"variants":{
		"h":{"parameters":[{"id":"effort","value":"high"}]},"l":{"parameters":[{"id":"effort","value":"low"}]}}}`)
	rows := model.Rows("zed", entry, model.Options{Profile: pi})
	fmt.Println(string(rows[0].Model.AppendJSON(nil)))
	fmt.Println(string(rows[0].Options("high")))
	// Output:
	// {"id":"zed","name":"Zed","reasoning":true,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":200000,"maxTokens":8192,"thinkingLevelMap":{"minimal":null,"low":"low","medium":null,"high":"high"}}
	// {"parameters":[{"id":"effort","value":"high"}]}
}

// The configuration that a plugin has filled in, and an id that two of its models have.
func ExampleHarvest() {
	omp, err := profile.Named("omp")
	if err != nil {
		log.Fatal(err)
	}
	config := json.RawMessage(`{"provider":{"acme":{"models":{
		"g-fast":{"name":"Own"},
		"g":{"name":"G","variants":{"a":{"parameters":[{"id":"fast","value":"false"}]},"b":{"parameters":[{"id":"fast","value":"true"}]}}}
	}}}}`)
	catalog, ok := model.Harvest(config, "acme", model.Options{Profile: omp})
	fmt.Println(ok, catalog.ProviderID, catalog.IDs())
	for _, clash := range catalog.Clashes() {
		called, _ := catalog.Call(clash.ID)
		fmt.Printf("%s is listed %d times and called as %q\n", clash.ID, len(clash.Rows), called.Model.Name)
	}
	// Output:
	// true acme [g-fast g]
	// g-fast is listed 2 times and called as "G Fast"
}

// All models of a document of models.dev.
func ExampleList() {
	pi, err := profile.Named("pi")
	if err != nil {
		log.Fatal(err)
	}
	list, err := model.List([]byte(`{"acme":{"models":{"a":{"cost":{"input":3,"output":15}},"b":{}}}}`), model.Options{Profile: pi})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		for _, r := range c.Rows {
			fmt.Println(c.ProviderID, r.Model.ID, r.Model.ContextWindow, r.Model.MaxTokens, r.Model.Cost.Output)
		}
	}
	// Output:
	// acme a 128000 8192 15
	// acme b 128000 8192 0
}

func ExampleDeclare() {
	for _, name := range []string{"pi", "omp"} {
		p, err := profile.Named(name)
		if err != nil {
			log.Fatal(err)
		}
		t := model.Declare(p, []string{"high", "low"})
		fmt.Println(string(t.AppendJSON(nil)))
	}
	// Output:
	// {"thinkingLevelMap":{"minimal":null,"low":"low","medium":null,"high":"high"}}
	// {"thinking":{"mode":"effort","efforts":["low","high"],"defaultLevel":"high"}}
}

// A host that is offline, and one whose provider is: both go on with what they have.
func ExampleDynamic() {
	d := model.Dynamic[string]{
		Registered: []string{"built-in"},
		Fetch:      func(context.Context, *string) ([]string, error) { return nil, errors.New("503 Service Unavailable") },
	}
	ctx := context.Background()
	fmt.Println(d.Refresh(ctx, model.Refresh[string]{Offline: true, Stored: []string{"stored"}}))
	fmt.Println(d.Refresh(ctx, model.Refresh[string]{}))
	// Output:
	// [stored] <nil>
	// [built-in] dynamic models: 503 Service Unavailable
}

// The models of a plugin, whose hooks run elsewhere.
func ExampleListing() {
	omp, err := profile.Named("omp")
	if err != nil {
		log.Fatal(err)
	}
	l := model.Listing{
		Options: model.Options{Profile: omp},
		Configure: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"provider":{"acme":{"models":{"a":{},"b":{}}}}}`), nil
		},
	}
	catalog, err := l.Fetch(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(catalog.IDs())
	// Output: [a b]
}
