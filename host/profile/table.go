package profile

import "encoding/json"

// tools is the part of a table about tools. tables/README.md describes it for those who write one.
type tools struct {
	// Rules are the tools that providers see by another name or in another shape.
	Rules []rule `json:"rules"`
	// Subagent is the tool that delegates work, nil if the host has none.
	Subagent *subagent `json:"subagent"`
	// Coordination is the name of the tool that talks to delegated work, "" for none.
	Coordination string `json:"coordination"`
	// Question is the name of the tool that asks the user, "" for none.
	Question string `json:"question"`
	// Terminal is the tool with which delegated work gives back its result, nil for none.
	Terminal *terminal `json:"terminal"`
}

// A rule is how one tool is named and shaped.
type rule struct {
	// Tool is the host's name of the tool.
	Tool string `json:"tool"`
	// Provider are the names that a provider sees: one for a renamed tool, two for a tool of operations that
	// is seen as one to write and one to read; none if the name stays.
	Provider []string `json:"provider"`
	// Aliases are pairs of a key that providers use and the host's key, which may be the same, in order of
	// precedence. Shapes find the host's keys by them: see keysOfShapes.
	Aliases [][2]string `json:"aliases"`
	// Drop are keys that the host does not take.
	Drop []string `json:"drop"`
	// Hide are properties of the host's schema that providers do not see, besides those of Drop.
	Hide []string `json:"hide"`
	// Schema, Call and History name the shape of the tool in the catalog and in the two directions, ""
	// where it stays the host's own.
	Schema  string `json:"schema"`
	Call    string `json:"call"`
	History string `json:"history"`
}

// A subagent is the tool that delegates work. Providers see it as "task".
type subagent struct {
	Tool string `json:"tool"`
	// Agents are names of agents that providers know, in order, and the host's; null: the host's default,
	// which is not named.
	Agents []agent `json:"agents"`
	// Adds are arguments that every call gets, an object.
	Adds json.RawMessage `json:"adds"`
}

type agent struct {
	Alias string  `json:"alias"`
	Host  *string `json:"host"`
}

// A terminal is a tool that ends delegated work with its result.
type terminal struct {
	Tool string `json:"tool"`
	// Input is what it is called with when the provider just stops, an object.
	Input json.RawMessage `json:"input"`
	// The role is active if the tool takes that input and needs no other: the schema must have every key of
	// it, the properties in Free without any constraint, and none of those in Without.
	Free    []string `json:"free"`
	Without []string `json:"without"`
}
