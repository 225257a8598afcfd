// Package auth logs hosts of the Pi family in with the plugins of AI SDK providers: it changes what a
// plugin keeps into what a host keeps and back, offers a plugin's login to the host, refreshes, and
// makes the options that a plugin's factory is called with.
//
// The rules are those of the provider bridge's specification, sections "Auth" and, for the plugin's own
// store, "Registration and discovery". The text of the specification is not part of this repository;
// testdata/vectors/provider-bridge has its cases.
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
