package sitemap

import "strings"

// chunkSize bounds the memory that a kept value of an extension keeps alive beside its own.
// Larger chunks save nothing that can be measured.
const chunkSize = 1 << 10

// chunk cuts short strings from a piece of memory that they share. An image has several of
// them, and allocating each costs more than reading it. A full piece is forgotten here and
// lives as long as one of its strings does.
type chunk struct{ b strings.Builder }

func (c *chunk) text(v []byte) string {
	if len(v) > chunkSize/4 {
		return string(v)
	}
	if c.b.Cap()-c.b.Len() < len(v) {
		c.b.Reset()
		c.b.Grow(chunkSize)
	}
	start := c.b.Len()
	c.b.Write(v)
	return c.b.String()[start:]
}
