package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAListIsReadLineByLine(t *testing.T) {
	links, err := readList(strings.NewReader("\ufeff# ours\n\n  https://a.example  # home\nhttp://127.0.0.1:8080/x#part\nhttp://127.0.0.1:8080/x\nHTTP://A.example/b?q=1 browser=chrome\n"))
	require.NoError(t, err)
	var got []string
	for _, l := range links {
		got = append(got, strings.TrimSpace(l.URL+" "+l.browser))
	}
	assert.Equal(t, []string{"https://a.example/", "http://127.0.0.1:8080/x", "http://a.example/b?q=1 chrome"}, got)
	assert.Equal(t, "a.example", links[0].key())
	assert.Equal(t, "127.0.0.1", links[1].key(), "an address has no domain")
}
