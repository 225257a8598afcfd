package wasmgen

// choices hands out the decisions that the input makes. When it is used up all decisions are 0.
type choices struct {
	data []byte
}

// below returns a number in [0, n).
func (c *choices) below(n int) int {
	v, most := 0, 1
	for most < n && len(c.data) > 0 {
		v, most = v<<8|int(c.data[0]), most<<8
		c.data = c.data[1:]
	}
	return v % n
}

// one reports true once in n times, never when the input is used up.
func (c *choices) one(n int) bool { return c.below(n) == n-1 }

// most reports true but once in n times.
func (c *choices) most(n int) bool { return c.below(n) != n-1 }

func (c *choices) done() bool { return len(c.data) == 0 }

// bits returns a number of which the interesting ones are likely: small ones, ones at the borders of
// types, and with more input any.
func (c *choices) bits() uint64 {
	switch c.below(4) {
	case 0:
		return uint64(c.below(256))
	case 1:
		return uint64(int64(-1 - c.below(64)))
	case 2:
		n := uint64(1) << c.below(64)
		return n - uint64(c.below(2))
	}
	v := uint64(0)
	for range 8 {
		v = v<<8 | uint64(c.below(256))
	}
	return v
}
