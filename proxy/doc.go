// Package proxy will carry requests through a crawling provider (ScrapingBee) as an
// [net/http.RoundTripper], for hosts that go on limiting the bot's own addresses.
//
// Nothing is exported yet.
package proxy
