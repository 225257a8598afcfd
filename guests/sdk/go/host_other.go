//go:build !wasip1

package pintle

import "os"

func log(_ Level, text string) { os.Stderr.WriteString(text + "\n") }

func config(string) (string, bool) { return "", false }
