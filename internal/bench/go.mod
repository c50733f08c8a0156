module github.com/politefetch/sdk/internal/bench

go 1.26.6

require (
	github.com/PuerkitoBio/fetchbot v1.2.0
	github.com/PuerkitoBio/gocrawl v1.0.1
	github.com/PuerkitoBio/goquery v1.13.0
	github.com/benjaminestes/robots/v2 v2.0.5
	github.com/gocolly/colly/v2 v2.3.0
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
	github.com/PuerkitoBio/purell v1.2.1 // indirect
	github.com/andybalholm/cascadia v1.3.4 // indirect
	github.com/antchfx/htmlquery v1.3.5 // indirect
	github.com/antchfx/xmlquery v1.5.0 // indirect
	github.com/antchfx/xpath v1.3.5 // indirect
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/gobwas/glob v0.2.3 // indirect
	github.com/golang/groupcache v0.0.0-20241129210726-2c02b8208cf8 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/hashicorp/golang-lru v0.5.4 // indirect
	github.com/kennygrant/sanitize v1.2.4 // indirect
	github.com/nlnwa/whatwg-url v0.6.2 // indirect
	github.com/saintfish/chardet v0.0.0-20230101081208-5e3ef4b5456d // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/appengine v1.6.8 // indirect
	google.golang.org/protobuf v1.36.10 // indirect
)

replace github.com/politefetch/sdk => ../..
