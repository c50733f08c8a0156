module github.com/politefetch/sdk/internal/bench

go 1.26.6

require (
	github.com/benjaminestes/robots/v2 v2.0.5
	github.com/jimsmart/grobotstxt v1.0.3
	github.com/muktihari/xmltokenizer v0.0.5
	github.com/orisano/gosax v1.1.4
	github.com/oxffaa/gopher-parse-sitemap v0.0.0-20191021113419-005d2eb1def4
	github.com/politefetch/sdk v0.0.0
	github.com/temoto/robotstxt v1.1.2
	github.com/yterajima/go-sitemap v0.4.0
)

require (
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/politefetch/sdk => ../..
