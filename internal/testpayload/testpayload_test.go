package testpayload

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLargeMatchesTheTable(t *testing.T) {
	data, err := os.ReadFile("../../testdata/vectors/payloads/large-table.json")
	require.NoError(t, err)
	var rows []struct {
		API    string `json:"api"`
		Target int    `json:"target_bytes"`
		Turns  int    `json:"turns"`
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	require.NoError(t, json.Unmarshal(data, &rows))
	require.Len(t, rows, 2*len(APIs))
	for _, row := range rows {
		size := map[int]string{1_000_000: "1MB", 10_000_000: "10MB"}[row.Target]
		got := Large(row.API, size)
		assert.Equal(t, row.Turns, turns[size][row.API], "%s %s", row.API, size)
		assert.Equal(t, row.Bytes, len(got), "%s %s", row.API, size)
		sum := sha256.Sum256(got)
		assert.Equal(t, row.SHA256, hex.EncodeToString(sum[:]), "%s %s", row.API, size)
	}
}

func TestRandomSource(t *testing.T) {
	assert.Equal(t, "winter pilot mooring cargo beacon pilot cargo", prose(1000, 120)[:45])
	assert.Equal(t, "J3S7Fcq7JyG6MV/JXoKAvnB4yBi2/kWq", base64(4000, 32))
}

func TestUnknown(t *testing.T) {
	assert.Panics(t, func() { Build("no-such-api", 1) })
	assert.Panics(t, func() { Large(APIs[0], "2MB") })
}
