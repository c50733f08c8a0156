package fetchtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxTries is how often the provider asks for a page that it can't hand on, unless it is
// told to be transparent.
const maxTries = 3

// answer decides what a client gets. The error is a connection that fails.
func (r *Relay) answer(req *http.Request, x *RelayExchange) (Answer, RelayFault, error) {
	switch path := strings.TrimSuffix(req.URL.Path, "/"); {
	case path != "/api/v1" && path != "/api/v1/usage":
		return own(http.StatusNotFound, `{"message":"Not found"}`), RelayFault{}, nil
	case !r.knows(req.Header):
		_, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
		return own(http.StatusUnauthorized, `{"message":"Invalid api key: `+key+`"}`), RelayFault{}, nil
	case path == "/api/v1/usage":
		return r.usage(), RelayFault{}, nil
	case req.Method != http.MethodGet:
		return own(http.StatusMethodNotAllowed, `{"message":"Method not allowed"}`), RelayFault{}, nil
	}
	if f := r.fault(x); f.replaces() {
		if err := sleep(req.Context(), r.Latency+f.Answer.Delay); err != nil {
			return Answer{}, f, err
		}
		return f.Answer, f, f.Answer.Err
	} else if a, ok := r.turnedDown(x); ok {
		return a, f, nil
	} else {
		a, err := r.page(req.Context(), x)
		return a, f, err
	}
}

func (r *Relay) knows(h http.Header) bool {
	key, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	return ok && key != "" && (r.Key == "" || key == r.Key)
}

func (r *Relay) fault(x *RelayExchange) RelayFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, _ := next(r.script, append(keysOf(x.URL), "")...)
	return f
}

// turnedDown says why the provider doesn't take an ask on.
func (r *Relay) turnedDown(x *RelayExchange) (Answer, bool) {
	price := priceOf(x.Params)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.Credits > 0 && r.used+price > r.Credits:
		return RelayQuota().Answer, true
	case r.Concurrency > 0 && x.InFlight > r.Concurrency:
		return RelayBusy(0).Answer, true
	}
	if faults := faultsOf(x.Params, x.URL); len(faults) > 0 {
		b, _ := json.Marshal(map[string]any{"errors": faults}) // strings only
		return own(http.StatusBadRequest, string(b)), true
	}
	return Answer{}, false
}

func (r *Relay) usage() Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return own(http.StatusOK, fmt.Sprintf(
		`{"max_api_credit":%d,"used_api_credit":%d,"max_concurrency":%d,"current_concurrency":%d,"renewal_subscription_date":"2030-01-01T00:00:00Z"}`,
		r.Credits, r.used, r.Concurrency, r.flying-1))
}

// page reads the site and puts its answer into the provider's form.
func (r *Relay) page(ctx context.Context, x *RelayExchange) (Answer, error) {
	limit, _ := strconv.Atoi(cmp.Or(x.Params.Get("timeout"), "140000"))
	asking, cancel := context.WithTimeout(ctx, time.Duration(limit)*time.Millisecond)
	defer cancel()
	var a Answer
	var initial int
	err := sleep(asking, r.Latency)
	if err == nil {
		a, initial, err = r.hops(asking, x)
	}
	transparent := x.Params.Get("transparent_status_code") == "true"
	for try := 1; err == nil && !transparent && !passes(a.Status); try++ {
		if try == maxTries {
			return own(http.StatusInternalServerError, `{"message":"Error with your request, please try again"}`), nil
		}
		a, initial, err = r.hops(asking, x)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil: // the client has gone
		return Answer{}, err
	case asking.Err() != nil:
		return own(http.StatusInternalServerError, `{"message":"The request timed out"}`), nil
	default:
		return unreachable(), nil
	}
	price := priceOf(x.Params)
	if a.Status >= 500 && a.Status < 600 {
		price = 0
	}
	r.mu.Lock()
	r.used += price
	x.Cost = price
	id := slices.Index(r.log, x) + 1
	r.mu.Unlock()
	return inProvidersForm(a, x, initial, price, id), nil
}

// passes reports whether an answer is handed on to a client that did not ask for
// transparency.
func passes(status int) bool { return status >= 200 && status < 300 || status == http.StatusNotFound }

// inProvidersForm marks the site's fields, which may come to stand beside the provider's.
func inProvidersForm(a Answer, x *RelayExchange, initial int, price, id int) Answer {
	h := ownHeader()
	h.Set("Content-Type", cmp.Or(a.Header.Get("Content-Type"), "text/plain"))
	h.Set("Spb-Cost", strconv.Itoa(price))
	h.Set("Spb-Initial-Status-Code", strconv.Itoa(initial))
	h.Set("Spb-Resolved-Url", x.Final)
	h.Set("Spb-Request-Id", fmt.Sprintf("relay-%d", id))
	if x.Params.Get("mode") == "auto" {
		h.Set("Spb-Auto-Cost", h.Get("Spb-Cost"))
	}
	h.Set("Spb-Date", time.Now().UTC().Format(http.TimeFormat))
	for name, values := range a.Header {
		for _, v := range values {
			h.Add("Spb-"+name, v)
		}
	}
	a.Body = plainBody(a)
	a.Header = h
	return a
}
