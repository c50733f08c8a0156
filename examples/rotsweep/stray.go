package main

import (
	"errors"
	"net/url"
)

// errStray is why an address is not asked for that a browser would: what the crawler can
// send for it is another address to many servers, so that the answer would say nothing.
var errStray = errors.New(`a "%" in it begins no escape; the sign itself is written %25`)

// whyNot is what is wrong with an address that does not parse, for the given reason.
func whyNot(raw string, reason error) error {
	_, err := url.Parse(raw)
	e, ok := errors.AsType[url.EscapeError](err)
	if _, bad := url.PathUnescape(string(e)); ok && bad != nil {
		return errStray
	}
	return reason
}
