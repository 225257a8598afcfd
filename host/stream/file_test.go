package stream_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

func file(mediaType, data string) string {
	return `{"type":"file","mediaType":` + mediaType + `,"data":` + data + `,"providerMetadata":{"p":{"a":1}}}`
}

func TestImages(t *testing.T) {
	for _, data := range []string{`"AQI="`, `{"$uint8array":"AQI="}`, `{"type":"data","data":"AQI="}`, `{"data":{"$uint8array":"AQI="},"type":"data"}`} {
		cfg := configFor(t, "omp")
		cfg.Files = func(string, []byte) (string, error) { panic("an image is in the message") }
		r := translate(t, cfg, `{"type":"text-delta","id":"1","delta":"a"}`, file(`"image/png"`, data),
			`{"type":"text-delta","id":"1","delta":"b"}`, finishStop)
		image := `{"type":"image","data":"AQI=","mimeType":"image/png"}`
		assert.Equal(t, `{"type":"text","text":"ab"},`+image, content(r.final), data)
		assert.Equal(t, `{"type":"image_end","contentIndex":1,"content":`+image+`}`, r.events[3])
	}
}

func TestFiles(t *testing.T) {
	for _, c := range []struct{ host, mediaType, data string }{
		{"pi", "image/png", `"AQI="`}, {"pi", "image/png", `"AQI"`}, {"pi", "application/pdf", `{"type":"data","data":"AQI="}`},
		{"omp", "application/pdf", `{"$uint8array":"AQI="}`}, {"omp", "", `"AQI="`}, {"omp", "video/image/", "\"A\\nQI=\\r\\n\""},
	} {
		cfg := configFor(t, c.host)
		kept := 0
		cfg.Files = func(mediaType string, data []byte) (string, error) {
			kept++
			assert.Equal(t, c.mediaType, mediaType)
			assert.Equal(t, []byte{1, 2}, data)
			return "/tmp/the file", nil
		}
		parts := []string{`{"type":"text-start","id":""}`, file(`"`+c.mediaType+`"`, c.data), `{"type":"text-delta","id":"","delta":"x"}`, finishStop}
		r := translate(t, cfg, parts...)
		require.Equal(t, 1, kept, c)
		require.Len(t, r.final.Content, 2)
		text := r.final.Content[1].Text()
		assert.Contains(t, text, c.mediaType)
		assert.Contains(t, text, "/tmp/the file")
		assert.Equal(t, "x", r.final.Content[0].Text(), "the file's text is no block of an id")
		assert.Empty(t, r.final.Content[1].Signature())
		assert.Equal(t, []string{
			`{"type":"text_start","contentIndex":1}`, `{"type":"text_delta","contentIndex":1,"delta":"` + text + `"}`,
			`{"type":"text_end","contentIndex":1,"content":"` + text + `"}`,
		}, r.events[2:5])

		cfg.Files = func(string, []byte) (string, error) { return "", errors.New("disk full") }
		assert.Contains(t, translate(t, cfg, parts...).final.Content[1].Text(), "not kept: disk full")
		cfg.Files = nil
		assert.Contains(t, translate(t, cfg, parts...).final.Content[1].Text(), "not kept")
		cfg.Reference = true
		assert.Len(t, translate(t, cfg, parts...).final.Content, 1)
	}
}

// Both alphabets of base64 are read.
func TestFilesInEitherAlphabet(t *testing.T) {
	for data, want := range map[string][]byte{
		`"+/+/"`: {0xfb, 0xff, 0xbf}, `"-_-_"`: {0xfb, 0xff, 0xbf}, `"-_-_AQ=="`: {0xfb, 0xff, 0xbf, 1},
	} {
		cfg := configFor(t, "pi")
		var kept []byte
		cfg.Files = func(_ string, data []byte) (string, error) {
			kept = data
			return "/f", nil
		}
		translate(t, cfg, file(`"a/b"`, data), finishStop)
		assert.Equal(t, want, kept, data)
	}
}

func TestFileURL(t *testing.T) {
	for _, host := range []string{"pi", "omp"} {
		r := translate(t, configFor(t, host), file(`"image/png"`, `{"type":"url","url":"https://e.x/a.png"}`), finishStop)
		require.Len(t, r.final.Content, 1)
		assert.Contains(t, r.final.Content[0].Text(), "https://e.x/a.png")
	}
}

func TestMalformedFiles(t *testing.T) {
	for _, host := range []string{"pi", "omp"} {
		cfg := configFor(t, host)
		cfg.Files = func(string, []byte) (string, error) { panic("there is nothing to keep") }
		for _, p := range []string{
			`{"type":"file"}`, file(`"image/png"`, `""`), file(`7`, `"AQI="`), file(`null`, `"AQI="`), file(`"image/png"`, `[1,2]`),
			file(`"image/png"`, `{}`), file(`"image/png"`, `{"type":"url"}`), file(`"image/png"`, `{"type":"url","url":7}`),
			file(`"image/png"`, `{"type":"data"}`), file(`"image/png"`, `{"type":"data","data":{"0":1}}`), file(`"image/png"`, `null`),
			file(`"image/png"`, `{"type":"other","data":"AQI="}`), file(`"text/plain"`, `"not base64"`), file(`"text/plain"`, `"=="`),
			`{"type":"reasoning-file","mediaType":"image/png","data":"AQI="}`,
		} {
			assert.Empty(t, translate(t, cfg, p, finishStop).final.Content, "%s %s", host, p)
		}
	}
}

func TestFilesIn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	keep := stream.FilesIn(folder)
	assert.NoDirExists(t, folder)
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of abc
	for mediaType, extension := range map[string]string{
		"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg", "TEXT/Plain; charset=utf-8": "txt", "text/html": "html",
		"application/pdf": "pdf", "audio/mpeg": "mp3", "video/mp4": "mp4", "application/json": "json", "application/zip": "zip",
		"": "bin", "x": "bin", "application/octet-stream": "bin", "a/../../etc": "bin", "a/..": "bin", "a/é": "bin", "a/b/c": "bin",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
	} {
		for range 2 { // again is no error
			path, err := keep(mediaType, []byte("abc"))
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(folder, sum+"."+extension), path)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "abc", string(data))
		}
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, strings.HasPrefix(e.Name(), sum), "nothing else is left behind: %s", e.Name())
	}
}

func TestFilesInTheWay(t *testing.T) {
	folder := t.TempDir()
	keep := stream.FilesIn(folder)
	path, err := keep("image/png", []byte("abc"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("another length"), 0o600))
	_, err = keep("image/png", []byte("abc"))
	require.ErrorContains(t, err, path)
	require.NoError(t, os.Remove(path))
	elsewhere := filepath.Join(t.TempDir(), "abc")
	require.NoError(t, os.WriteFile(elsewhere, []byte("abc"), 0o600))
	require.NoError(t, os.Symlink(elsewhere, path))
	_, err = keep("image/png", []byte("abc"))
	require.ErrorContains(t, err, path)

	_, err = stream.FilesIn(path)("image/png", []byte("abc"))
	assert.Error(t, err, "the folder is a file")
}
