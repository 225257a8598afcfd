package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCrash kills processes that write sessions, at any moment, and looks at what they leave: all that was
// acknowledged, to the byte; nothing that is half; and a session that the next process goes on with.
func TestCrash(t *testing.T) {
	const kills = 70 // in each of the three
	for _, name := range []string{"long/" + plainName, "long/" + packedName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t)
			o := orders{Root: c.root, ID: "long"}
			path := filepath.Join(c.root, name)
			if strings.HasSuffix(name, packedName) {
				o.Path = path
				require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
				h := Header{ID: "long"}
				require.NoError(t, os.WriteFile(path, AppendFrame(nil, append(h.AppendJSON(nil), '\n')), 0o600))
			}
			for n := range kills {
				if n%2 == 0 {
					c.tear(path)
				}
				c.run(o)
				c.check("long", path)
				if n%10 == 9 {
					c.takeUp("long", path)
				}
			}
			require.Greater(t, len(c.told["long"]), kills, "the processes had the time to write")
		})
	}
	t.Run("fresh", func(t *testing.T) {
		t.Parallel()
		c := newCrash(t)
		for n := range kills {
			c.run(orders{Root: c.root, ID: fmt.Sprint(n), Fresh: true})
			for h, err := range NewDir(c.root).List(t.Context()) {
				require.NoError(t, err)
				path := filepath.Join(c.root, h.ID, plainName)
				c.check(h.ID, path)
				c.takeUp(h.ID, path)
				delete(c.told, h.ID)
				require.NoError(t, os.RemoveAll(filepath.Dir(path)))
			}
			require.Empty(t, c.told, "a session of which events were acknowledged is there")
		}
		require.Greater(t, c.sessions, kills/4, "the processes had the time to make sessions")
	})
}

// A crash knows what killed processes have acknowledged.
type crash struct {
	*testing.T
	root     string
	rng      *rand.Rand
	told     map[string]map[int64]uint64 // the sums of events, by session and seq
	sessions int                         // how many have been taken up
}

func newCrash(t *testing.T) *crash {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return &crash{T: t, root: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 0)), told: map[string]map[int64]uint64{}}
}

// run starts a process and kills it: after so many acknowledgements, or after so long.
func (c *crash) run(o orders) {
	c.Helper()
	o.Seed = c.rng.Uint64()
	given, err := json.Marshal(o)
	require.NoError(c, err)
	self, err := os.Executable()
	require.NoError(c, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), crashEnv+"="+string(given))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(c, err)
	require.NoError(c, cmd.Start())
	kill := func() { _ = cmd.Process.Kill() }
	defer kill()

	left := -1
	lines := bufio.NewReader(stdout)
	if ready, err := lines.ReadString('\n'); err == nil {
		require.Equal(c, "ready\n", ready)
		if c.rng.IntN(2) == 0 {
			timer := time.AfterFunc(time.Duration(c.rng.Int64N(int64(8*time.Millisecond))), kill)
			defer timer.Stop()
		} else {
			left = c.rng.IntN(40)
		}
	}
	for {
		if left == 0 {
			kill()
		}
		left--
		line, err := lines.ReadString('\n')
		if err != nil {
			break // a line that is not whole says nothing
		}
		var id string
		var seq int64
		var sum uint64
		_, err = fmt.Sscanf(line, "%s %d %x\n", &id, &seq, &sum)
		require.NoError(c, err, line)
		if c.told[id] == nil {
			c.told[id] = map[int64]uint64{}
		}
		c.told[id][seq] = sum
	}
	_ = cmd.Wait()
	require.Empty(c, stderr.String(), "the process lives until it is killed")
}

// check reads a log as it was left.
func (c *crash) check(id, path string) {
	c.Helper()
	v, err := ViewFile(c.Context(), path)
	if errors.Is(err, ErrNotFound) {
		require.Empty(c, c.told[id], "what was acknowledged is there")
		return
	}
	require.NoError(c, err)
	defer v.Close()
	require.Equal(c, id, v.Header().ID)
	found, next := 0, int64(0)
	for e, err := range v.Events(c.Context(), 0) {
		require.NoError(c, err)
		require.Equal(c, next, e.Seq)
		next++
		if want, ok := c.told[id][e.Seq]; ok {
			require.Equal(c, want, sum(&e), "the acknowledged event %d", e.Seq)
			found++
		}
	}
	require.Equal(c, v.Next(), next)
	require.Equal(c, len(c.told[id]), found, "all that was acknowledged is there")
}

// takeUp does what the next process does, and looks at what it leaves.
func (c *crash) takeUp(id, path string) {
	c.Helper()
	l, err := OpenFile(c.Context(), path)
	if errors.Is(err, ErrNotFound) {
		return
	}
	require.NoError(c, err)
	defer l.Close()
	s, _, err := Take(c.Context(), l, Options{})
	require.NoError(c, err)
	assert.Zero(c, l.Tail())
	assert.Equal(c, EndSeed, s.State().Last())
	require.NoError(c, s.Close())
	c.check(id, path)
	c.sessions++
	if strings.HasSuffix(path, ".jsonl") {
		text, err := os.ReadFile(path)
		require.NoError(c, err)
		for line := range bytes.Lines(text) {
			require.True(c, json.Valid(line), "a whole line")
		}
		require.True(c, bytes.HasSuffix(text, []byte("\n")))
	}
}

// tear adds what an unfinished write could have left.
func (c *crash) tear(path string) {
	c.Helper()
	v, err := ViewFile(c.Context(), path)
	if errors.Is(err, ErrNotFound) {
		return
	}
	require.NoError(c, err)
	defer v.Close()
	if v.Tail() > 0 {
		return // there is one already
	}
	var lines []byte
	for _, e := range notes(v.Next(), 40) {
		lines = append(e.AppendJSON(lines), '\n')
	}
	if strings.HasSuffix(path, ".zstd") {
		lines = AppendFrame(nil, lines)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(c, err)
	defer f.Close()
	_, err = f.Write(lines[:1+c.rng.IntN(len(lines)-1)])
	require.NoError(c, err)
}
