package main

import (
	"bytes"
	"context"
	"iter"
	"net/http"

	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// provider asks a model of the AI SDK that runs elsewhere: it posts the options of a call and reads the
// parts of the answer, one JSON per line. api is the name of the protocol. What an answer keeps for its
// provider goes back only where api and provider are the same as when it was given.
func provider(url string, host *profile.Profile, api string) *parts.Provider {
	return &parts.Provider{
		API: api, Profile: host,
		Ask: func(ctx context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
			return func(yield func(*stream.Part, error) bool) {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(call.AppendJSON(nil)))
				if err != nil {
					yield(nil, err)
					return
				}
				req.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					yield(nil, err)
					return
				}
				defer resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					yield(parts.Failure("the model's process says "+resp.Status, resp), nil)
					return
				}
				stream.ReadParts(resp.Body)(yield)
			}
		},
	}
}
