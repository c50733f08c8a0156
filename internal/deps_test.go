package internal_test

import (
	_ "github.com/jimsmart/grobotstxt"
	_ "github.com/stretchr/testify/assert"
	_ "github.com/stretchr/testify/require"
	_ "golang.org/x/net/html"
	_ "golang.org/x/net/html/charset"
	_ "golang.org/x/net/idna"
	_ "golang.org/x/net/publicsuffix"
	_ "golang.org/x/net/http2"
	_ "golang.org/x/net/dns/dnsmessage"
	_ "golang.org/x/sync/errgroup"
)
