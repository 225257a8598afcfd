package conformance

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The file with the reference's names is left out as an operation, but says what its folders are called.
func TestProjectFolders(t *testing.T) {
	data, err := os.ReadFile("../../testdata/vectors/replay/file-names.json")
	require.NoError(t, err)
	var cases []struct {
		Name   string
		Input  struct{ Cwd *string }
		Expect struct{ Project string }
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		if c.Expect.Project != "" {
			assert.Equal(t, c.Expect.Project, project(c.Input.Cwd), c.Name)
		}
	}
}
