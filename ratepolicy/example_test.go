package ratepolicy_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

func Example() {
	ctx := context.Background()
	lim := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 300 * time.Millisecond}}, nil)
	u, _ := url.Parse("https://shop.example/page")

	lease, err := lim.Acquire(ctx, ratepolicy.HostKey(u), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"3600"}}} // as sent by the host
	_, err = lease.Release(ctx, ratepolicy.ReadAnswer(resp, nil, time.Now()))
	fmt.Println(err)

	_, err = lim.Acquire(ctx, ratepolicy.HostKey(u), 0)
	if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
		fmt.Println(w.Key, "in", time.Until(w.Until).Round(time.Minute))
	}
	// Output:
	// <nil>
	// shop.example in 1h0m0s
}

// A scheduler of one's own never blocks: it tries, and is told when to come back. It
// keeps one row a key, not one an address.
func ExampleLimiter_TryAcquire() {
	ctx := context.Background()
	lim := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 10 * time.Millisecond}}, nil)
	rows := map[string][]string{"a.example": {"/1", "/2"}, "b.example": {"/3"}}
	due := map[string]time.Time{}
	sent := 0
	for len(rows) > 0 {
		for key, paths := range rows {
			if time.Until(due[key]) > 0 {
				continue
			}
			lease, err := lim.TryAcquire(ctx, key, 0)
			if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
				due[key] = w.Until
				continue
			}
			sent++ // here paths[0] is fetched
			due[key], _ = lease.Release(ctx, ratepolicy.Answer{Status: 200})
			if rows[key] = paths[1:]; len(paths) == 1 {
				delete(rows, key)
			}
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println(sent, "sent")
	// Output: 3 sent
}

func ExampleLimiter_Transport() {
	network := roundTripper(func(*http.Request) (*http.Response, error) { // a http.Transport in real life
		return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"600"}}, Body: http.NoBody}, nil
	})
	lim := ratepolicy.New(ratepolicy.Policy{}, nil)
	client := &http.Client{Transport: lim.Transport(network)}
	for range 2 {
		resp, err := client.Get("https://api.example/items")
		if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
			fmt.Println("not now:", w.Key)
			continue
		}
		resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	// Output:
	// 503
	// not now: api.example
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
