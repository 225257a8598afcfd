package host_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/stream"
)

// A summary is what one stream amounts to on one host.
type summary struct {
	Host   string         `json:"host"`
	Parts  int            `json:"parts"`
	Events map[string]int `json:"events"`
	Stop   string         `json:"stop"`
	Error  string         `json:"error,omitempty"`
	Blocks []blockSummary `json:"blocks"`
	// Ran are the calls that the provider ran itself, "!" behind the name of one without a result.
	Ran   []string        `json:"ran,omitempty"`
	Usage json.RawMessage `json:"usage"`
	// Stored is the finish of the chunks, and what the log has of the message.
	Finish string `json:"finish"`
	Stored string `json:"stored"`
	// Sent are the parts of the answer in the options of the next call, those with provider options marked
	// with "+".
	Sent string `json:"sent,omitempty"`
}

type blockSummary struct {
	Type string `json:"type"`
	Size int    `json:"size"`
	Hash string `json:"hash"`
	// Signature is its length.
	Signature int    `json:"signature,omitempty"`
	Call      string `json:"call,omitempty"`
	Error     string `json:"error,omitempty"`
}

func (s *summary) message(m *stream.Message) {
	s.Stop, s.Error = m.StopReason, m.ErrorMessage
	s.Usage = m.Usage.AppendJSON(nil)
	s.Blocks = []blockSummary{}
	for _, b := range m.Content {
		text := b.Text()
		switch b.Type {
		case stream.BlockToolCall:
			text = string(b.Arguments)
		case stream.BlockImage:
			text = b.Data
		}
		s.Blocks = append(s.Blocks, blockSummary{
			Type: b.Type, Size: len(text), Hash: hash(text), Signature: len(b.Signature()),
			Call: b.Name, Error: b.ArgumentsError,
		})
	}
	for _, c := range m.ProviderExecuted {
		name := c.ToolName + "@" + strconv.Itoa(c.At)
		if c.Result == nil {
			name += "!"
		}
		s.Ran = append(s.Ran, name)
	}
	if len(s.Blocks) > 200 { // the large ones are told in short
		all := sha256.New()
		for _, b := range s.Blocks {
			all.Write([]byte(b.Type + b.Hash + b.Call))
		}
		s.Blocks = []blockSummary{{Type: strconv.Itoa(len(s.Blocks)) + " blocks", Hash: hex.EncodeToString(all.Sum(nil)[:6])}}
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// sent tells the parts of the one answer in a prompt.
func sent(t *testing.T, o *history.CallOptions) string {
	var options struct {
		Prompt []struct {
			Role    string
			Content json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(o.AppendJSON(nil), &options))
	var said []string
	for _, m := range options.Prompt {
		if m.Role != "assistant" {
			continue
		}
		var parts []struct {
			Type            string
			ProviderOptions json.RawMessage
		}
		require.NoError(t, json.Unmarshal(m.Content, &parts))
		for _, p := range parts {
			if p.ProviderOptions != nil {
				p.Type += "+"
			}
			if n := len(said); n > 0 && said[n-1] == p.Type {
				continue
			}
			said = append(said, p.Type)
		}
	}
	if len(said) > 100 {
		return strconv.Itoa(len(said)) + " runs of parts, " + hash(strings.Join(said, " "))
	}
	return strings.Join(said, " ")
}
