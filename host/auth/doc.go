// Package auth logs hosts of the Pi family in with the plugins of AI SDK providers: it changes what a
// plugin keeps into what a host keeps and back, offers a plugin's login to the host, refreshes, and
// makes the options that a plugin's factory is called with.
//
// The rules are those of the provider bridge's specification:
//
//   - methods, login, credentials on both sides, their expiry, refreshing, keys after a restart and the
//     options of a factory: section "Auth";
//   - what a plugin finds as its own store: "Registration and discovery" (plugin input);
//   - what a host makes of a login: "Host differences".
//
// The hosts are pi (@earendil-works/pi-ai and pi-coding-agent 1.6.0) and omp (@oh-my-pi/pi-ai 18.2.11,
// coding agent 18.3.4), the reference is the bridge's newest state after its release 0.4.3. Logins are the
// plugins' own: the AI SDK's language model specification (V2, V3 and V4, as in @ai-sdk/provider 2.0.5,
// 3.0.19 and 4.0.38) knows none.
//
// The text of the specification is not part of this repository; testdata/vectors/provider-bridge has its
// cases.
//
// # Secrets
//
// Access tokens, refresh tokens, keys and a credential's metadata are of type [Secret], or kept in one.
// A Secret shows itself as "[redacted]" however it is printed, logged or marshaled, also inside of
// other values; only its Reveal method gives the text. What plugins and hosts say in their errors may
// quote a secret: a [Redactor] takes out those that it knows, and every error of this package has been
// through one.
//
// Nothing is read from the environment, the file system or the clock but through what the caller gives.
package auth
