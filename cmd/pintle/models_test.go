package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTokensText(t *testing.T) {
	for n, want := range map[int64]string{0: "0", -1: "-", 999: "999", 8192: "8192", 200_000: "200k", 2_000_000: "2M", 1_500_000: "1500k"} {
		assert.Equal(t, want, tokensText(n))
	}
}
