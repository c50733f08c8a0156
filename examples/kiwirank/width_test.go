package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// What is said fits the terminal, but for words that are longer than it is wide.
func TestWhatIsSaidFitsTheTerminal(t *testing.T) {
	for columns, most := range map[string]int{"40": 40, "80": 80, "200": lineWidth} {
		t.Run(columns, func(t *testing.T) {
			t.Setenv("COLUMNS", columns)
			w := newWorld(t)
			w.direct.Set("/b", fetchtest.Status(429).RetryAfter(time.Hour))
			_, out, _ := w.run(t, "visit", start)
			_, status, _ := w.run(t, "status", start)
			widest := 0
			for line := range strings.SplitSeq(out+status, "\n") {
				n := len([]rune(line))
				if words := strings.Fields(line); len(words) > 1 && len([]rune(words[len(words)-1])) > most-nameWidth {
					continue
				}
				assert.LessOrEqual(t, n, most, line)
				widest = max(widest, n)
			}
			require.Greater(t, widest, most-20, "the terminal is made use of")
		})
	}
}
