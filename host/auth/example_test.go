package auth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/pintle-wasm/pintle/host/auth"
)

var now = time.UnixMilli(1_700_000_000_000)

// hook is the login of a plugin: one question, and the answer is the key. In a real host its functions call
// whatever runs the plugin.
func hook() *auth.Hook {
	return &auth.Hook{
		Provider: "acme",
		Methods: []auth.Method{{
			Type:    auth.APIType,
			Prompts: []auth.Prompt{{Key: "key", Message: "API key", Placeholder: new("sk-…")}},
			Authorize: func(_ context.Context, answers map[string]string) (auth.Authorization, error) {
				result, err := json.Marshal(map[string]any{
					"type": "success", "key": answers["key"], "metadata": map[string]string{"refreshToken": "rt-1"},
				})
				return auth.Authorization{Result: result}, err
			},
		}},
		Load: func(_ context.Context, store *auth.Store) (auth.Options, error) {
			store.Set(auth.OAuth(auth.NewSecret("access-2"), auth.NewSecret("rt-2"), 1_700_000_600_000))
			return auth.ParseOptions([]byte(`{"baseURL":"https://acme.example"}`))
		},
	}
}

// A user logs in. What the host has got shows nothing when it is printed; Reveal is for its store.
func ExampleAccount_Login() {
	account := &auth.Account{Hook: hook(), Now: func() time.Time { return now }}
	label, _ := account.Label()
	fmt.Println("log in with", label)
	credential, err := account.Login(context.Background(), auth.Callbacks{
		OnPrompt: func(_ context.Context, message string, placeholder *string) (string, error) {
			fmt.Printf("%s (%s)\n", message, *placeholder)
			return "sk-123", nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(credential)
	fmt.Println(string(credential.Reveal()))
	// Output:
	// log in with acme
	// API key (sk-…)
	// {[redacted] [redacted] 1.7000036e+12}
	// {"access":"sk-123","refresh":"rt-1","expires":1700003600000}
}

// The plugin's loader refreshes, and the host keeps what it has stored.
func ExampleAccount_Refresh() {
	account := &auth.Account{Hook: hook()}
	stored, err := auth.ParseHostCredential([]byte(`{"access":"access-1","refresh":"rt-1","expires":1700000000000}`))
	if err != nil {
		log.Fatal(err)
	}
	credential, err := account.Refresh(context.Background(), stored)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(credential.Reveal()), credential.Key().Reveal())
	// Output: {"access":"access-2","refresh":"rt-2","expires":1700000600000} access-2
}

// After a restart the host knows nothing but a key. It is made a credential again, for the loader.
func ExampleAccount_FactoryOptions() {
	account := &auth.Account{Hook: hook(), Prefer: "api"}
	options, err := account.FactoryOptions(context.Background(), []byte(`{"token":"$apiKey"}`), auth.NewSecret("sk-123"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(options.Reveal()))
	fmt.Println(string(account.FromKey(auth.NewSecret("sk-other")).Reveal()))
	// Output:
	// {"token":"sk-123","baseURL":"https://acme.example"}
	// {"type":"api","key":"sk-other"}
}

// A live function of the loader takes the place of keys that do not change.
func ExampleFactoryOptions() {
	getter := auth.Option{Name: "getAccessToken", Live: func() string { return "…" }}
	options, err := auth.FactoryOptions([]byte(`{"apiKey":"$apiKey","region":"eu"}`), auth.NewSecret("sk-123"), auth.Options{getter})
	if err != nil {
		log.Fatal(err)
	}
	for _, option := range options {
		fmt.Println(option.Name, option.JSON.Reveal(), option.Live != nil)
	}
	// Output:
	// region "eu" false
	// getAccessToken  true
}

func ExampleSubstitute() {
	template := []byte(`{"headers":{"x-key":"$apiKey"},"note":"$apiKey is not replaced here"}`)
	with, err := auth.Substitute(template, auth.NewSecret("sk-123"))
	if err != nil {
		log.Fatal(err)
	}
	without, err := auth.Substitute(template, auth.Secret{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(with))
	fmt.Println(string(without))
	// Output:
	// {"headers":{"x-key":"sk-123"},"note":"$apiKey is not replaced here"}
	// {"headers":{},"note":"$apiKey is not replaced here"}
}

func ExampleTokenExpiry() {
	fmt.Printf("%.0f\n", auth.TokenExpiry(auth.NewSecret("h.eyJleHAiOjE4MDAwMDAwMDB9.s"), now))
	fmt.Printf("%.0f\n", auth.TokenExpiry(auth.NewSecret("sk-123"), now))
	// Output:
	// 1800000000000
	// 1700003600000
}

func ExampleCallbackCredential() {
	credential, err := auth.CallbackCredential([]byte(`{"type":"success","access":"a-1","refresh":"r-1","expires":5}`), now)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(credential, credential.Type())
	host, err := credential.Host(now)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(host.Reveal()))
	_, err = auth.CallbackCredential([]byte(`{"type":"failed"}`), now)
	fmt.Println(err)
	// Output:
	// credential "oauth" [redacted] oauth
	// {"access":"a-1","refresh":"r-1","expires":5}
	// auth: the login did not succeed: try again
}

// What others say may quote a secret.
func ExampleRedactor() {
	var r auth.Redactor
	r.Add(auth.NewSecret("sk-12345678"))
	credential, err := auth.ParseCredential([]byte(`{"type":"api","key":"k-87654321","metadata":{"tenant":"acme-inc"}}`))
	if err != nil {
		log.Fatal(err)
	}
	r.AddCredential(credential)
	cause := errors.New("acme-inc: 401 for sk-12345678")
	err = r.Error(fmt.Errorf("list models: %w", cause))
	fmt.Println(err, errors.Is(err, cause))
	fmt.Println(r.Text("?key=k-87654321&v=1"))
	fmt.Println(string(r.JSON([]byte(`{"error":{"sent":"Bearer sk-12345678"}}`))))
	// Output:
	// list models: [redacted]: 401 for [redacted] true
	// ?key=[redacted]&v=1
	// {"error":{"sent":"Bearer [redacted]"}}
}

// What is configured is known as long as the Redactor is, in whatever an error writes it.
func ExampleOptions_Secrets() {
	options, err := auth.ParseOptions([]byte(`{"baseURL":"https://acme.example","headers":{"authorization":"Bearer s3cret/+value"}}`))
	if err != nil {
		log.Fatal(err)
	}
	var r auth.Redactor
	r.Keep(options.Secrets()...)
	fmt.Println(r.Text(`GET https://acme.example?key=s3cret%2F%2Bvalue: {"sent":"{\"key\":\"s3cret\/+value\"}"}`))
	fmt.Println(r.Text("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ada:s3cret/+value"))))
	// Output:
	// GET https://acme.example?key=[redacted]: {"sent":"{\"key\":\"[redacted]\"}"}
	// Authorization: Basic YWRh[redacted]=
}

func ExampleStore() {
	var s auth.Store
	s.Set(auth.APIKey(auth.NewSecret("sk-123"), nil))
	for id, credential := range s.All("acme") {
		fmt.Println(id, string(credential.Reveal()))
	}
	s.Remove()
	fmt.Println(s.Get())
	// Output:
	// acme {"type":"api","key":"sk-123"}
	// no credential
}

func ExampleHook_Pick() {
	h := auth.Hook{Provider: "acme", Methods: []auth.Method{{Type: auth.APIType, Label: "Key"}, {Type: auth.OAuthType, Label: "Sign in"}}}
	fmt.Println(h.Pick("").Label, h.Pick(auth.APIType).Label, h.Pick("other") == nil)
	// Output: Sign in Key true
}
