// Package profile has what differs between the hosts of the Pi family: how they name and shape their
// tools, what their messages can hold, where they keep their files. All of it is data: a profile is a
// table (tables/README.md describes the form), and a new host is a new table.
//
// A profile and the tools that are live in one call of a model make a [Toolset]: the catalog that the
// provider sees, and the way of a tool call in both directions. The rules are those of the provider
// bridge's specification:
//
//   - what a provider is told of the live tools, and which of them mean something to the bridge: section
//     "Catalog and roles"; the choice of a tool: "Tool choice";
//   - the calls of a provider, the shapes of tables and the todo list: "Call direction";
//   - stored calls, and operations that become one call again: "History direction";
//   - tools for one provider only: "Isolation" and "Cursor tools";
//   - what the tables say of the hosts: "Host differences", and for the names of providers "Registration
//     and discovery" (ids);
//   - what the reference loses, and is switched off by [Options].Reference: "Reference gaps and the sound
//     default", rules 9, 11 and 12.
//
// The tables are of pi (@earendil-works/pi-ai and pi-coding-agent 1.6.0) and omp (@oh-my-pi/pi-ai 18.2.11,
// coding agent 18.3.4). The reference is the bridge's newest state after its release 0.4.3. The provider's
// side, declarations, calls and their input, has the same shapes in the versions V2, V3 and V4 of the AI
// SDK's language model specification (@ai-sdk/provider 2.0.5, 3.0.19 and 4.0.38).
//
// The text of the specification is not part of this repository; testdata/vectors/provider-bridge has its
// cases.
package profile
