// Package profile has what differs between the hosts of the Pi family: how they name and shape their
// tools, what their messages can hold, where they keep their files. All of it is data: a profile is a
// table (tables/README.md describes the form), and a new host is a new table.
//
// A profile and the tools that are live in one call of a model make a [Toolset]: the catalog that the
// provider sees, and the way of a tool call in both directions. The rules are those of the provider
// bridge's specification, sections "Catalog and roles", "Call direction", "History direction" and
// "Reference gaps and the sound default". The text of the specification is not part of this repository;
// testdata/vectors/provider-bridge has its cases.
package profile
