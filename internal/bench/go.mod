module github.com/politefetch/sdk/internal/bench

go 1.26.6

require (
	github.com/PuerkitoBio/goquery v1.13.0
	github.com/benjaminestes/robots/v2 v2.0.5
	github.com/jimsmart/grobotstxt v1.0.3
	github.com/muktihari/xmltokenizer v0.0.5
	github.com/orisano/gosax v1.1.4
	github.com/oxffaa/gopher-parse-sitemap v0.0.0-20191021113419-005d2eb1def4
	github.com/politefetch/sdk v0.0.0
	github.com/sethvargo/go-limiter v0.7.1
	github.com/temoto/robotstxt v1.1.2
	github.com/throttled/throttled/v2 v2.15.0
	github.com/yterajima/go-sitemap v0.4.0
	golang.org/x/net v0.62.0
	golang.org/x/time v0.16.0
)

require (
	github.com/andybalholm/cascadia v1.3.4 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/hashicorp/golang-lru v0.5.4 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/politefetch/sdk => ../..
