package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// rowCases are packed-rows and jsonl-scan.
func rowCases() Suite {
	return Suite{
		"packed-rows": {run: packedRows, bind: bindRowError, bothModes: true},
		"jsonl-scan":  {run: scanLog, bind: bindRowError, bothModes: true},
	}
}

// rowError is the result of a refusal.
func rowError(err error) (any, error) {
	var refused *session.Error
	if !errors.As(err, &refused) {
		return nil, err
	}
	return fields{"error", fields{"code", string(refused.Code), "message", refused.Error()}}, nil
}

// bindRowError leaves the wording of an error open.
func bindRowError(_ *testCase, expected, got Value) (Value, Value) {
	e, g := expected.Get("error"), got.Get("error")
	if !e.present() || g.Get("message").str("") == "" {
		return expected, got
	}
	message := func(key string, _ Value) bool { return key == "message" }
	return expected.with("error", e.without(message)), got.with("error", g.without(message))
}

func packedRows(_ context.Context, c *testCase) (any, error) {
	switch op := c.input.Get("op").str(""); op {
	case "decode":
		events, err := session.Unpack(c.input.Get("record").raw)
		if err != nil {
			return rowError(err)
		}
		return fields{"events", list(events)}, nil
	case "pack":
		var events []session.Event
		for _, item := range c.input.Get("events").items {
			unpacked, err := session.Unpack(item.raw) // which takes an event of any shape
			if err != nil {
				return nil, err
			}
			events = append(events, unpacked...)
		}
		records := session.Pack(events)
		if err := checkUnpack(records, events); err != nil {
			return nil, err
		}
		return fields{"records", list(records)}, nil
	default:
		return nil, fmt.Errorf("unknown op %q", op)
	}
}

// checkUnpack checks that records hold the events.
func checkUnpack(records [][]byte, events []session.Event) error {
	n := 0
	for _, record := range records {
		unpacked, err := session.Unpack(record)
		if err != nil {
			return err
		}
		for i := range unpacked {
			cmp := comparison{}
			if n < len(events) {
				want, err := ParseValue(events[n].AppendJSON(nil))
				if err != nil {
					return err
				}
				got, err := ParseValue(unpacked[i].AppendJSON(nil))
				if err != nil {
					return err
				}
				cmp.value("", want, got, false)
			}
			if n >= len(events) || len(cmp.found) > 0 {
				return fmt.Errorf("unpacking the records does not give back event %d", n)
			}
			n++
		}
	}
	if n != len(events) {
		return fmt.Errorf("unpacking the records gives back %d of %d events", n, len(events))
	}
	return nil
}

func scanLog(_ context.Context, c *testCase) (any, error) {
	data := []byte(wtf8.ToUTF8(c.input.Get("text").str("")))
	if encoded := c.input.Get("base64").ptr(); encoded != nil {
		var err error
		if data, err = base64.StdEncoding.DecodeString(*encoded); err != nil {
			return nil, err
		}
	}
	s := session.NewScanner(bytes.NewReader(data))
	h, err := s.Header()
	if err != nil {
		return rowError(err)
	}
	header, err := ParseValue(h.AppendJSON(nil))
	if err != nil {
		return nil, err
	}
	events := []any{}
	for e, err := range s.Events() {
		if err != nil {
			return rowError(err)
		}
		events = append(events, e)
	}
	return fields{
		"header", header.without(func(key string, _ Value) bool { return key == "type" }),
		"events", events, "committedBytes", s.Committed(), "totalBytes", s.Total(),
	}, nil
}
