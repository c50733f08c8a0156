package politefetch_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestEventsSayInWhichModeARequestWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/busy", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(10*time.Second))
		var gentle []bool
		var urls []string
		cfg := politeConfig(site)
		cfg.Observe = func(e politefetch.Event) {
			switch e.Kind {
			case politefetch.EventSend, politefetch.EventAnswer, politefetch.EventLimit:
				gentle, urls = append(gentle, e.Gentle), append(urls, string(e.Kind)+" "+e.URL)
			default:
			}
		}
		bot := newBot(t, cfg)
		for _, path := range []string{"/busy", "/a"} {
			_, err := bot.Fetch(t.Context(), site1+path, nil)
			require.NoError(t, err)
		}
		assert.Equal(t, []string{
			"send " + site1 + "/robots.txt", "answer " + site1 + "/robots.txt", "send " + site1 + "/busy", "answer " + site1 + "/busy", "limit " + site1 + "/busy",
			"send " + site1 + "/a", "answer " + site1 + "/a",
		}, urls)
		assert.Equal(t, []bool{false, false, false, false, false, true, true}, gentle)
	})
}

// A scheduler that does not wait is told by an error; an observer is told all the same.
func TestATurnThatIsNotNowIsAnEventWhoeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		var waits []politefetch.Event
		cfg := politeConfig(site)
		cfg.Observe = func(e politefetch.Event) {
			if e.Kind == politefetch.EventWait {
				waits = append(waits, e)
			}
		}
		bot := newBot(t, cfg)
		_, err := bot.Robots(t.Context(), site1+"/")
		require.NoError(t, err)
		_, err = bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{MaxWait: -1})
		require.Error(t, err)
		require.Len(t, waits, 1)
		assert.Equal(t, time.Now().Add(time.Second), waits[0].Until)
		assert.Equal(t, site1+"/a", waits[0].URL)
		assert.Contains(t, waits[0].Why, "own pace 1s")
	})
}
