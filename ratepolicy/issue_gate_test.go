package ratepolicy_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// The tests in this file are faults of the gate itself, and of what passes it: every
// request of a client goes through a Transport, and the scripted side sees it or doesn't.

func TestIssue011_TheTurnIsTakenOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{answer(200)}}
		rt := ratepolicy.New(ratepolicy.Policy{}, nil).Transport(s)
		var wg sync.WaitGroup
		for range 5 { // queued at once
			wg.Go(func() {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.test/", http.NoBody)
				if assert.NoError(t, err) {
					_, err = rt.RoundTrip(req)
					assert.NoError(t, err)
				}
			})
		}
		wg.Wait()
		assert.Equal(t, every(time.Second, 5), s.at)
	})
}

func TestIssue034_NoWrapperGoesRoundTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{answer(302, "Location", "/next"), answer(200)}}
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		gate := l.Transport(s)
		outer := roundTripper(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.Header.Set("X-Wrapped", "1")
			return gate.RoundTrip(req)
		})
		client := &http.Client{Transport: outer, Timeout: time.Hour}
		for range 2 {
			resp, err := client.Get("http://a.test/")
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		assert.Equal(t, every(time.Second, 3), s.at, "each hop is a turn")

		require.NoError(t, l.Hold(t.Context(), "a.test", time.Now().Add(time.Hour), "stop"))
		_, err := client.Get("http://a.test/")
		require.ErrorContains(t, err, "held: stop")
		assert.Len(t, s.at, 3)
	})
}

func TestIssue036_ALimitIsNoBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{RelayAfter: 2}, nil)
		v := l.Visit()
		for range 3 {
			lease, err := v.Acquire(t.Context(), host, 0)
			require.NoError(t, err)
			assert.False(t, lease.Relayed(), "the route stays")
			_, err = lease.Release(t.Context(), after(429, time.Second))
			require.NoError(t, err)
		}
		s, err := l.Status(t.Context(), host)
		require.NoError(t, err)
		assert.NotContains(t, s.String(), "wall")
		assert.Contains(t, s.String(), "gentle since it limited the rate")
	})
}

func TestIssue038_AllPathsObeyOneGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{answer(200)}}
		rt := ratepolicy.New(ratepolicy.Policy{}, nil).Transport(s)
		for _, url := range []string{"http://a.test/robots.txt", "https://a.test/sitemap.xml", "http://a.test:8080/page", "http://A.test./page"} {
			_, err := send(t.Context(), t, rt, url)
			require.NoError(t, err)
		}
		assert.Equal(t, every(time.Second, 4), s.at)
	})
}

func TestIssue039_A429IsWaitedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{answer(429, "Retry-After", "20"), answer(200)}}
		rt := ratepolicy.New(ratepolicy.Policy{}, nil).Transport(s)
		var got []int
		for range 2 {
			resp, err := send(t.Context(), t, rt, "http://a.test/")
			require.NoError(t, err)
			got = append(got, resp.StatusCode)
		}
		assert.Equal(t, []int{429, 200}, got)
		assert.Equal(t, every(20*time.Second, 2), s.at)
	})
}

func TestIssue041_A403NeitherHoldsNorSlowsTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		opens := ask(t, l, host, 0, ratepolicy.Answer{Status: 403})
		assert.Equal(t, time.Second, time.Until(opens))
		s, err := l.Status(t.Context(), host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeNormal, s.Mode)
	})
}

func TestIssue045_FourAnswersFourMeanings(t *testing.T) {
	p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}, Gentle: ratepolicy.Pace{Delay: -1}}
	for _, tt := range []struct {
		name   string
		answer ratepolicy.Answer
		opens  time.Duration
		cap    int // afterwards
		gentle bool
	}{
		{"limited", ratepolicy.Answer{Status: 429}, 5 * time.Second, 1, true},
		{"limited, with a wait", after(503, 20*time.Second), 20 * time.Second, 1, true},
		{"server error", ratepolicy.Answer{Status: 503}, 5 * time.Second, 1, false},
		{"challenge", ratepolicy.Answer{Status: 503, Wall: "cloudflare"}, 0, 2, false},
		{"430 is no limit of any RFC, its wait holds all the same", after(430, 20*time.Second), 20 * time.Second, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := ratepolicy.New(p, nil)
				assert.Equal(t, tt.opens, time.Until(ask(t, l, plainHost, 0, tt.answer)))
				time.Sleep(tt.opens)
				s, err := l.Status(t.Context(), plainHost)
				require.NoError(t, err)
				assert.Equal(t, tt.cap, s.Pace.Concurrency)
				assert.Equal(t, tt.gentle, s.Mode == ratepolicy.ModeGentle)
			})
		})
	}
}

func TestIssue046_OnlyTheHostThatLimitsSlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		slow := ask(t, l, "slow.test", 0, after(429, 30*time.Second))
		for range 10 { // one hold, whoever asks and how often
			assert.Equal(t, slow, refused(t, l, "slow.test").Until)
		}
		for i := range 100 {
			assert.Equal(t, time.Second, time.Until(ask(t, l, fmt.Sprintf("h%d.test", i), 0, ok200)))
		}
		assert.Equal(t, every(2*time.Second, 11), fromFirst(together(t, l, []string{"slow.test"}, 11, 1, 0)["slow.test"]))
	})
}

// fromFirst counts arrivals from the first of them.
func fromFirst(at []time.Duration) (from []time.Duration) {
	for _, d := range at {
		from = append(from, d-at[0])
	}
	return from
}

func TestIssue048_RedirectsArePacedWhereTheyLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{
			answer(302, "Location", "http://b.test/y"), answer(200),
			answer(302, "Location", "http://b.test/y"), answer(429, "Retry-After", "600"),
			answer(302, "Location", "http://b.test/y"),
		}}
		client := &http.Client{Transport: ratepolicy.New(ratepolicy.Policy{}, nil).Transport(s)}
		for _, want := range []string{"", "", "Retry-After 600"} {
			resp, err := client.Get("http://a.test/x")
			if want != "" {
				require.ErrorContains(t, err, want, "b's hold, on the way from a")
				continue
			}
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		var b []time.Duration
		for i, url := range s.urls {
			if url == "http://b.test/y" {
				b = append(b, s.at[i])
			}
		}
		assert.Equal(t, every(time.Second, 2), b)
	})
}
