// Command adapters is the guest that puts a turn's prompt and developer messages into provider request payloads: one
// adapter for each of five provider APIs. Payloads are edited as text; nothing that the rules do not name is written
// anew.
package main

func main() {}
