package sidecar

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

const optionsKey = "systemPromptOptions"

// A hostRequest is a request whose options are the host's and open: extensions put things there, and what
// one of them got wrong shall not cost the turn its envelope. Members of other types count as missing.
type hostRequest struct {
	envelope.Request
	misfits []string // what of the options counts as missing, and why
}

// UnmarshalJSON reads a request.
func (r *hostRequest) UnmarshalJSON(data []byte) error {
	err := r.Request.UnmarshalJSON(data)
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Field+".", optionsKey+".") {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	options, misfits := registry.ReadPromptOptions(members[optionsKey])
	for _, err := range misfits {
		if errors.As(err, &wrong) {
			wrong.Field = strings.TrimSuffix(optionsKey+"."+wrong.Field, ".")
		}
		r.misfits = append(r.misfits, misfit("", err))
	}
	delete(members, optionsKey)
	rest, err := json.Marshal(members)
	if err == nil {
		err = r.Request.UnmarshalJSON(rest)
	}
	r.Options = options
	return err
}

// A buildReport is the report about an envelope, and about the request that it is of.
type buildReport struct {
	envelope.Report
	Options []string `json:"options,omitempty"` // see hostRequest
}
