//go:build race

package host_test

// The race detector keeps the compiler from growing a buffer without a second one.
const growthCopies = 1
