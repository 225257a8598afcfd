//go:build !wasip1

package pintle

import "os"

func log(_ Level, text string) { os.Stderr.WriteString(text + "\n") }

func config(string) (string, bool) { return "", false }

func kvGet(string) ([]byte, bool) { return nil, false }

func kvSet(string, []byte) error { return ErrDenied }

func kvDelete(string) error { return ErrDenied }
