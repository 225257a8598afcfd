package history

import (
	"maps"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The headers by which a provider tells sessions apart.
const (
	sessionHeader       = "x-opencode-session-id"
	readmeSessionHeader = "x-opencode-session"
)

// SessionHeader returns the headers of a call: those of the host and, if the host has a session and none of
// its headers names one, x-opencode-session-id. It is added to calls that advertise tools only, so that
// calls beside the conversation do not disturb it. It returns nil for no headers.
//
// readme gives the older build's header, x-opencode-session: on all calls, and beside
// x-opencode-session-id, which that build does not know.
func SessionHeader(headers map[string]string, sessionID string, tools, readme bool) map[string]string {
	name := sessionHeader
	named := []string{sessionHeader, readmeSessionHeader, "x-session-affinity", "x-session-id"}
	if readme {
		name, named, tools = readmeSessionHeader, named[1:], true
	}
	all := maps.Clone(headers)
	if sessionID != "" && tools && !hasHeader(headers, named) {
		if all == nil {
			all = map[string]string{}
		}
		all[name] = sessionID
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
