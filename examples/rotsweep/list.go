package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// maxLine bounds a line of a list.
const maxLine = 64 << 10

// readList reads a list: an address a line, options after it, "#" before what is none. An
// address that stands there twice is one link, with the options of the first.
func readList(r io.Reader) ([]*link, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	seen := make(map[string]bool)
	var links []*link
	for n := 1; lines.Scan(); n++ {
		l, err := readLine(strings.TrimPrefix(lines.Text(), "\ufeff"))
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d of the list: %w", n, err)
		case l != nil && !seen[l.URL]:
			seen[l.URL] = true
			links = append(links, l)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("a line of the list is longer than %d bytes", maxLine)
	} else if err != nil {
		return nil, err
	}
	if len(links) == 0 {
		return nil, errors.New("there is no address on the list")
	}
	return links, nil
}

// readLine returns nil for a line without an address.
func readLine(line string) (*link, error) {
	if strings.ContainsRune(line, 0) {
		return nil, errors.New("this is no text in UTF-8")
	}
	words := strings.Fields(line)
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "#") }); i >= 0 {
		words = words[:i]
	}
	if len(words) == 0 {
		return nil, nil //nolint:nilnil // there is neither a link nor anything wrong
	}
	browser := ""
	for _, option := range words[1:] {
		name, value, _ := strings.Cut(option, "=")
		if name != "browser" {
			return nil, fmt.Errorf("%.40q is no option; there is browser=NAME", cli.WithoutPassword(option))
		}
		switch value {
		case politefetch.BrowserChrome, politefetch.BrowserFirefox, politefetch.BrowserSafari:
			browser = value
		default:
			return nil, fmt.Errorf("%.40q: the browsers are chrome, firefox and safari", option)
		}
	}
	return newLink(words[0], browser), nil
}
