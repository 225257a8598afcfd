// Package turn runs turns: it sends a session's history to a model, feeds the answer into the assembler,
// keeps everything in the session's log, runs tools and asks again until the model is done. It follows
// the replay-state protocol, sections "What an adapter must emit", "What the turn loop does with an
// answer", "Route identity and failover" and "Step one: ownership, in the runtime".
//
// A [Provider] talks to a model. A [Router] knows which provider serves which route, and a [Loop] runs
// the turns of one session over a router.
package turn
