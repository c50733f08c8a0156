package robots

import (
	"math"
	"strconv"
	"time"
)

// CrawlDelay returns the delay that the file asks the crawler to keep between requests,
// and whether it asks for one; a delay of 0 is one. The value is neither capped nor raised
// to a least: that is for the rate policy. Of several the longest counts. A delay of the
// "*" group isn't one of a group that names the crawler, but one before the first
// User-agent line is for every group that has none. Crawl-delay isn't in RFC 9309.
func (g *Group) CrawlDelay() (time.Duration, bool) { return g.delay, g.delayed }

func (g *Group) findDelay() (longest time.Duration, found bool) {
	delays := values(g, kindCrawlDelay, func(s string, _ int) (time.Duration, bool) { return parseDelay(s) })
	for _, d := range delays {
		longest = max(longest, d)
	}
	return longest, len(delays) > 0
}

// parseDelay reads a decimal number of seconds, "5" or "0.5". What is longer than a
// Duration can hold becomes the longest.
func parseDelay(s string) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' {
			return 0, false
		}
	}
	seconds, err := strconv.ParseFloat(s, 64)
	switch {
	case math.IsInf(seconds, 1), err == nil && seconds >= math.MaxInt64/float64(time.Second):
		return math.MaxInt64, true
	case err != nil:
		return 0, false
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), true
}
