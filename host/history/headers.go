package history

import (
	"maps"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The headers by which a provider tells sessions apart.
const (
	sessionHeader       = "x-opencode-session-id"
	readmeSessionHeader = "x-opencode-session"
)

// SessionHeader returns the headers of a call that advertises some tools: those of the host and, if the host
// has a session and none of its headers names one, x-opencode-session-id (section "Headers"). It is added to
// calls with tools only, so that calls beside the conversation do not disturb it. It returns nil for no
// headers.
//
// With Readme it is the older build's header, x-opencode-session: on all calls, and beside
// x-opencode-session-id, which that build does not know.
func (c *Config) SessionHeader(call Call, tools []profile.Declaration) map[string]string {
	name, wanted := sessionHeader, len(tools) > 0
	named := []string{sessionHeader, readmeSessionHeader, "x-session-affinity", "x-session-id"}
	if c.Readme {
		name, named, wanted = readmeSessionHeader, named[1:], true
	}
	all := maps.Clone(call.Headers)
	if call.SessionID != "" && wanted && !hasHeader(call.Headers, named) {
		if all == nil {
			all = map[string]string{}
		}
		all[name] = call.SessionID
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func hasHeader(headers map[string]string, names []string) bool {
	for name := range headers {
		if slices.Contains(names, strings.ToLower(name)) {
			return true
		}
	}
	return false
}

func appendHeaders(dst []byte, headers map[string]string) []byte {
	o := jsonvalue.Begin(dst)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		o.Text(name, headers[name])
	}
	return o.End()
}
