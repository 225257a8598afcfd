// Package jsonrpc speaks JSON-RPC 2.0 over a pair of byte streams, with the framing of the Language
// Server Protocol. Both ends may send requests.
//
// What it adds to the protocol is order and bounds. Requests with one key are served one after the other;
// all others side by side, on a bounded number of workers. Bounded as well are the requests that wait, their
// bytes, and the bytes that wait to be written: a peer that sends too much is told so, and one that does
// not read is read no further in the end.
package jsonrpc
