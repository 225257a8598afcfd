//go:build !race

package host_test

const growthCopies = 0
