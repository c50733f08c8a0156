package page_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// signal is one row of the conformance data, of the kinds that pages say.
type signal struct {
	Name, Kind string
	Input      json.RawMessage
	Expected   json.RawMessage
}

func TestConformance(t *testing.T) {
	var rows []signal
	conformance.ReadJSON(t, "signals/vectors.json", &rows)
	done := map[string]int{}
	for _, tt := range rows {
		var in struct {
			Lines        []string
			HTML         string
			ProductToken string `json:"product_token"`
			PageNofollow bool   `json:"page_nofollow"`
		}
		var want struct {
			NoIndex, NoFollow, NoAI, NoImageAI bool
			MaxSnippet                         int `json:"max_snippet"`
			Follow                             []string
		}
		switch tt.Kind {
		case "x_robots_tag", "meta_robots", "rel_nofollow":
			require.NoError(t, json.Unmarshal(tt.Input, &in))
			require.NoError(t, json.Unmarshal(tt.Expected, &want))
		default:
			continue
		}
		done[tt.Kind]++
		t.Run(tt.Name, func(t *testing.T) {
			o := at("https://site.test/")
			o.Product = in.ProductToken
			o.Header["X-Robots-Tag"] = in.Lines
			if in.PageNofollow {
				in.HTML += `<meta name=robots content=nofollow>`
			}
			f, err := page.Scan(strings.NewReader(in.HTML), o)
			require.NoError(t, err)
			assert.Equal(t, page.Robots{
				NoIndex: want.NoIndex, NoFollow: want.NoFollow, NoAI: want.NoAI, NoImageAI: want.NoImageAI,
				MaxSnippet: want.MaxSnippet,
			}, f.Robots)
			follow := []string{}
			for _, l := range f.Links {
				if !l.NoFollow && !f.NoFollow {
					follow = append(follow, strings.TrimPrefix(l.URL, "https://site.test"))
				}
			}
			if tt.Kind == "rel_nofollow" {
				assert.Equal(t, want.Follow, follow)
			}
		})
	}
	t.Log(done)
	for _, kind := range []string{"x_robots_tag", "meta_robots", "rel_nofollow"} {
		assert.NotZero(t, done[kind], kind)
	}
}

func TestRobotsTag(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields []string
		want   page.Robots
	}{
		{"nothing", nil, page.Robots{}},
		{"allowing words", []string{"all, index, follow"}, page.Robots{}},
		{"none", []string{"NONE"}, page.Robots{NoIndex: true, NoFollow: true}},
		{"other bot", []string{"BadBot: noindex, nofollow"}, page.Robots{}},
		{"this bot", []string{"kiwirankbot: noindex"}, page.Robots{NoIndex: true}},
		{"everyone by name", []string{"BadBot: none, *: nofollow", "robots: noindex"}, page.Robots{NoIndex: true, NoFollow: true}},
		{"scope ends with the field", []string{"BadBot: noindex", "nofollow"}, page.Robots{NoFollow: true}},
		{"scope ends at the next bot", []string{"BadBot: noindex, KiwiRankBot: nofollow, noai"}, page.Robots{NoFollow: true, NoAI: true}},
		{"date with commas and colons", []string{"unavailable_after: Saturday, 25 Jun 2010 15:00:00 PST, noindex"}, page.Robots{NoIndex: true}},
		{"bare time", []string{"unavailable_after: 25 Jun, 15:00, noindex"}, page.Robots{NoIndex: true}},
		{"valued, scoped", []string{"KiwiRankBot: max-snippet: 50"}, page.Robots{MaxSnippet: 50}},
		{"shortest snippet", []string{"max-snippet: 50, max-snippet: 20", "max-snippet: -1"}, page.Robots{MaxSnippet: 20}},
		{"no snippet", []string{"max-snippet: 0, max-snippet: 20"}, page.Robots{MaxSnippet: -1}},
		{"no snippet by name", []string{"nosnippet, max-snippet: x"}, page.Robots{MaxSnippet: -1}},
		{"unknown", []string{"noodp, frobnicate,, :"}, page.Robots{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, page.RobotsTag(http.Header{"X-Robots-Tag": tt.fields}, "KiwiRankBot"))
		})
	}
	assert.Zero(t, page.RobotsTag(http.Header{"X-Robots-Tag": {": noindex"}}, ""), "no product is no name")
}

func TestMetaRobots(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       page.Robots
	}{
		{"robots", `<meta name=Robots content="NoIndex , nofollow">`, page.Robots{NoIndex: true, NoFollow: true}},
		{"own token", `<meta content=none name=kiwirankbot>`, page.Robots{NoIndex: true, NoFollow: true}},
		{"other token", `<meta name=googlebot content=none>`, page.Robots{}},
		{"sum", `<meta name=robots content=all><meta name=robots content=noai><body><meta name=robots content=noimageai>`, page.Robots{NoAI: true, NoImageAI: true}},
		{"for clients without scripts", `<noscript><meta name=robots content=noindex></noscript>`, page.Robots{NoIndex: true}},
		{"in a comment", `<!-- <meta name=robots content=noindex> -->`, page.Robots{}},
		{"in a template", `<template><meta name=robots content=noindex></template>`, page.Robots{}},
		{"property is not a name", `<meta property=robots content=noindex>`, page.Robots{}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, scan(t, tt.body).Robots) })
	}
	f, err := page.Scan(strings.NewReader(`<meta name="" content=none>`), nil)
	require.NoError(t, err)
	assert.Zero(t, f.Robots, "no product is no name")
}
