package ratepolicy

import (
	"fmt"
	"strings"
	"time"
)

// A WaitError says that a key may not be asked before Until. Nothing was sent.
type WaitError struct {
	Key   string
	Until time.Time // by the caller's clock
	Why   string    // which header, rule or state, and until when
	Held  bool      // the host, or a Hold, asked for it; false: the bot's own pace, or a Crawl-delay
}

// Error returns the key, the instant and the reason.
func (e *WaitError) Error() string {
	until := stamp(e.Until)
	return fmt.Sprintf("ratepolicy: %s: not before %s: %s", clean(e.Key, maxWhy), until, strings.TrimSuffix(e.Why, " (until "+until+")"))
}
