package main

import (
	"context"
	"net/url"

	"github.com/politefetch/sdk/proxy"
)

// keyVariable names the environment variable that holds the provider's key. The key is in
// no flag, no file and no output.
const keyVariable = "SCRAPINGBEE_API_KEY"

const noRoute = "the provider's route is not configured (" + keyVariable + " is not set)"

// setRoute makes the provider's route if there is a key.
func (a *app) setRoute() error {
	if a.key == "" {
		return nil
	}
	route := &proxy.ScrapingBee{
		Key: proxy.NewAPIKey(a.key), Country: "us", Base: a.provider,
		Check: func(context.Context, *url.URL) error { return nil }, // the Crawler gives its own, for each visit
	}
	a.key = ""
	if err := route.Validate(); err != nil {
		return err
	}
	a.route = route
	return nil
}
