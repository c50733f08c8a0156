package main

import (
	"fmt"
	"net/http/httptest"
	"testing"
)

func TestPageReadersAgree(t *testing.T) {
	body := newPage(20_000, func(i int) string { return fmt.Sprintf("/shop/item-%d?ref=list&amp;pos=%d", i, i) })
	want, err := readTree(body)
	if err != nil || want.Links != 42 || want.Words < 1000 || want.Title != "Tuote & hinta" {
		t.Fatal(want, err)
	}
	for _, s := range Pages {
		got, err := s.Do(body)
		if s.Name != pageTokens && got != want { // the tokenizer's loop keeps nothing
			t.Errorf("%s: %+v, want %+v", s.Name, got, want)
		}
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func TestCrawlersReadEveryPage(t *testing.T) {
	site := httptest.NewServer(crawlSite())
	defer site.Close()
	const want = 5 * 45
	for _, s := range Crawls {
		if links, err := s.Do(site.URL, 5); links != want || err != nil {
			t.Errorf("%s: %d links, want %d, %v", s.Name, links, want, err)
		}
	}
}
