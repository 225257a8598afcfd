package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Codes of errors.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeCancelled      = -32800
	CodeTooMuch        = -32004
)

// ErrClosed is the cause of the end of everything that was going on when a connection ended.
var ErrClosed = errors.New("the connection has ended")

// errCancelled is the cause of the end of a request that the peer cancelled.
var errCancelled = errors.New("cancelled by the peer")

// An Error is an error as one end tells it to the other.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// Errorf makes an error with a code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With adds data, anything that becomes JSON.
func (e *Error) With(data any) *Error {
	encoded, err := encode(data)
	if err != nil {
		return &Error{Code: e.Code, Message: e.Message}
	}
	return &Error{Code: e.Code, Message: e.Message, Data: encoded}
}
