// Package sidecar serves hosts in other processes: one connection with one host, its guests, sessions and
// streams. clients/PROTOCOL.md describes the protocol.
package sidecar
