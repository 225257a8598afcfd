package message

import (
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// scanObject scans one JSON object.
func scanObject(data []byte, levels int) (jsonspan.Node, error) {
	doc, err := jsonspan.Scan(data, levels)
	if err != nil {
		return jsonspan.Node{}, err
	}
	if doc.Root().Kind() != jsonspan.Object {
		return jsonspan.Node{}, errors.New("not a JSON object")
	}
	return doc.Root(), nil
}

// need returns a string member of a chunk; one of another type is an error, and so is none.
func need(raw []byte, key string) (string, error) {
	s, ok := jsonvalue.TextOf(raw)
	if !ok {
		return "", fmt.Errorf("%s is not a string", key)
	}
	return s, nil
}
