package politefetch

import (
	"net/http"
)

// conditional returns the fields by which a request asks whether an answer with header h
// still stands (RFC 9110 section 13.1), as they are; nil if h has no validator.
func conditional(h http.Header) http.Header {
	tag, date := h.Get("ETag"), h.Get("Last-Modified")
	if _, err := http.ParseTime(date); err != nil {
		date = "" // section 13.1.3: nobody could make sense of it
	}
	if tag == "" && date == "" || unsendable(tag) {
		return nil
	}
	out := make(http.Header)
	if tag != "" {
		out.Set("If-None-Match", tag)
	}
	if date != "" {
		out.Set("If-Modified-Since", date)
	}
	return out
}
