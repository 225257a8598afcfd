// Package replay carries a provider's own metadata from one request to the next: signatures, response
// ids and whatever else a native (pi-ai) message has beyond its content. It follows the replay-state
// protocol, sections "Read side", "The native layout, version 2" and "Route identity and failover".
//
// A [Writer] turns the native events of an answer into chunks, and its metadata into the replay envelope
// on the last of them. A [Reader] turns stored messages back into native ones. Stored content is the
// authority: a state that does not fit its message is not used, that message degrades to provider-neutral
// content with one [Diagnostic], and the request goes on. [Reader.Own] takes away the states that the adapter
// of a request did not make.
//
// Everything that takes a Reference field or argument behaves soundly without it. With it, the weak
// spots of the reference implementation come back, for comparison with it.
package replay
