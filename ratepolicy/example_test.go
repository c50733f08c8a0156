package ratepolicy_test

import (
	"context"
	"errors"
	"fmt"
	"log"
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

// An ordinary client of an API is paced by its transport.
func Example_apiClient() {
	lim := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 20 * time.Millisecond}}, nil)
	client := &http.Client{Transport: lim.Transport(api)} // http.DefaultTransport in real life
	start := time.Now()
	for _, item := range []string{"1", "2", "3"} {
		resp, err := client.Get("https://api.example/items/" + item)
		if err != nil {
			log.Fatal(err) // perhaps a *ratepolicy.WaitError: the API asked for a long pause
		}
		fmt.Println(resp.Status)
		resp.Body.Close()
	}
	fmt.Println("no faster than agreed:", time.Since(start) >= 2*20*time.Millisecond)
	// Output:
	// 200 OK
	// 200 OK
	// 200 OK
	// no faster than agreed: true
}

var api = roundTripper(func(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Status: "200 OK", Body: http.NoBody}, nil
})

// TryAcquire never blocks; the scheduler example of the package builds on it.
func ExampleLimiter_TryAcquire() {
	ctx := context.Background()
	lim := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: time.Minute}}, nil)
	for range 2 {
		lease, err := lim.TryAcquire(ctx, "shop.example", 0)
		if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
			fmt.Println("come back in", time.Until(w.Until).Round(10*time.Second))
			continue
		}
		fmt.Println("sent") // here it is fetched
		_, _ = lease.Release(ctx, ratepolicy.Answer{Status: 200})
	}
	// Output:
	// sent
	// come back in 1m0s
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
