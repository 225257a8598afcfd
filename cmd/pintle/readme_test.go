package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadmeShowsTheDoctor(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"doctor", "examples/response/stuck.jsonl"}, strings.NewReader(""), &out, &errs)
	assert.Equal(t, exitFailed, status)
	assert.Empty(t, errs.String())
	assert.Contains(t, string(readme), "$ pintle doctor examples/response/stuck.jsonl\n"+out.String()+"```\n")
}

func TestReadmeShowsTheBridge(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, command := range []string{
		"models examples/bridge/models.json",
		"translate --host omp --tools examples/bridge/tools.json examples/bridge/answer.ndjson",
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), strings.Fields(command), strings.NewReader(""), &out, &errs)
		assert.Equal(t, exitOK, status, command)
		assert.Empty(t, errs.String(), command)
		shown := out.String()
		if before, _, ok := strings.Cut(shown, `"message":{`); ok {
			shown = before + "\"message\":{…}}\n"
		}
		assert.Contains(t, string(readme), "$ pintle "+command+"\n"+shown+"```\n")
	}
}
