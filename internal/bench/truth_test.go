package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
)

// The rude bot asks for everything at once and obeys nothing. Like all bots it runs in
// processes of its own.
const rude = "rude"

func TestMain(m *testing.M) {
	if what, ok := os.LookupEnv(truthChild); ok {
		Bots = append(Bots, Subject[Bot]{Other, rude, Bot{Run: runRude}})
		os.Exit(truthful(what))
	}
	os.Exit(m.Run())
}

func runRude(job *TruthJob) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	var wg sync.WaitGroup
	var get func(addr string, follow bool)
	get = func(addr string, follow bool) {
		resp, err := client.Get(addr) //nolint:noctx // nobody's call
		if err != nil {
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		for _, m := range regexp.MustCompile(`href="([^"]+)"`).FindAllSubmatch(body, -1) {
			if to, err := resp.Request.URL.Parse(string(m[1])); err == nil && follow {
				wg.Go(func() { get(to.String(), false) })
			}
		}
	}
	get(job.Ask[0], job.Site) // first, so that there is a cookie, and a connection
	for _, addr := range job.Ask[1:] {
		wg.Go(func() { get(addr, false) })
	}
	wg.Wait()
	return nil
}

// A judge that finds no fault with the rude bot finds none with anybody.
func TestTruthFindsFaultWithARudeBot(t *testing.T) {
	innocent := []string{
		"No robots.txt (404): all is open",
		"Sitemaps obey robots.txt",        // it reads none
		"Other hosts are asked meanwhile", // all are, at once
	}
	for _, p := range promises() {
		t.Run(p.words, func(t *testing.T) {
			t.Parallel()
			got, err := p.holds(rude)
			if err != nil {
				t.Fatal(err)
			}
			if !got.applies || got.kept != slices.Contains(innocent, p.words) {
				t.Errorf("%v: %s", got, got.saw)
			}
		})
	}
}

// Ours keeps what takes no time to see.
func TestTruthFindsNoFaultWithOurs(t *testing.T) {
	for _, p := range rulePromises() {
		t.Run(p.words, func(t *testing.T) {
			t.Parallel()
			got, err := p.holds(ours)
			if err != nil {
				t.Fatal(err)
			}
			if !got.kept {
				t.Errorf("%v: %s", got, got.saw)
			}
		})
	}
}
