package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/guests/sdk/go/message"
)

func TestMode(t *testing.T) {
	for prompt, want := range map[string]string{
		"":                   "",
		"fix the timetable":  "",
		"please /plan first": "",
		"/plan the winter":   modes["/plan"],
		"  /review\nit":      modes["/review"],
	} {
		got, err := mode(&message.Context{Prompt: prompt})
		assert.NoError(t, err)
		assert.Equal(t, want, got, prompt)
	}
}

func TestToolCare(t *testing.T) {
	got, err := toolCare(&message.Context{ActiveTools: []string{"edit"}})
	assert.NoError(t, err)
	assert.Empty(t, got, "edit alone calls for nothing")
	got, err = toolCare(&message.Context{ActiveTools: []string{"read", "edit", "bash"}})
	assert.NoError(t, err)
	assert.Contains(t, got, "- bash:")
	assert.Contains(t, got, "- edit:")
	assert.NotContains(t, got, "web_search")
}
