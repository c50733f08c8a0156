package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	endlessBytes = 64 << 20 // is what an endless body has
	endlessBound = 32 << 20 // is what a bot may take of it, buffers on the way included
	endlessField = "Truth-Sent"

	dripFor   = 25 * time.Second // is how long a body drips
	dripBound = 20 * time.Second // is how long a bot may look on
)

// endless answers with the same line for ever. How far it came is in the log.
func endless(line string) answer {
	return func(s *truthSite, w http.ResponseWriter, r *http.Request) {
		sent := 0
		for sent < endlessBytes && r.Context().Err() == nil {
			n, err := w.Write([]byte(line))
			if sent += n; err != nil {
				break
			}
		}
		s.note(r, endlessField, strconv.Itoa(sent))
	}
}

// drip answers with a byte now and then.
func drip(_ *truthSite, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	for end := time.Now().Add(dripFor); time.Now().Before(end) && r.Context().Err() == nil; time.Sleep(100 * time.Millisecond) {
		_, _ = w.Write([]byte("."))
		_ = http.NewResponseController(w).Flush()
	}
}

// leftEarly reports whether of an endless body only so much was taken.
func leftEarly(path string) func(l requests) (bool, string) {
	return func(l requests) (bool, string) {
		for _, r := range l {
			if r.path != path {
				continue
			}
			if sent, err := strconv.Atoi(r.header.Get(endlessField)); err != nil || sent >= endlessBound {
				return false, fmt.Sprintf("took %d MB", sent>>20)
			}
		}
		return l.asked(path), "it was not asked for"
	}
}

// answerPromises are about answers that waste a bot's time.
func answerPromises() []promise {
	return []promise{
		{
			words: "An endless page is left", needs: bodies, ask: []string{"/page"},
			serve: map[string]answer{"/page": endless("<p>" + strings.Repeat("x", 1020) + "\n")}, kept: leftEarly("/page"),
		},
		{
			words: "A page that drips for ever is left within 20 s", needs: bodies, ask: []string{"/page"}, limit: dripFor + time.Second,
			serve: map[string]answer{"/page": drip}, kept: func(l requests) (bool, string) {
				for _, r := range l.pages() {
					if took := r.ended.Sub(r.began); r.ended.IsZero() || took > dripBound {
						return false, "still read after 20 s"
					}
				}
				return l.asked("/page"), "it was not asked for"
			},
		},
	}
}
