package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// generated makes a file with n rules for everybody, one in five with wildcards, and
// addresses of which half are spelled like its rules. With patterns all rules are alike
// but for their ends and hard on matchers that try again, and so are the addresses.
func generated(n int, patterns bool) (*robotsCase, error) {
	const host = "https://www.example.com"
	rng := rand.New(rand.NewPCG(uint64(n), 9309))
	words := strings.Fields("catalog product search archive media account checkout review static blog tag user forum help news")
	word := func() string { return words[rng.IntN(len(words))] }
	body := bytes.NewBufferString("# generated\nUser-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 1\n")
	dirs := make([]string, n)
	for i := range dirs {
		dirs[i] = fmt.Sprintf("/%s/%s-%d/%s", word(), word(), i, strings.Repeat(word()+"/", 1+min(n/500, 7)))
		line := "Disallow: " + dirs[i]
		switch {
		case patterns:
			line = fmt.Sprintf("Disallow: /%s*z%d$", strings.Repeat("*a*b", 10), i)
		case i%10 == 3:
			line = fmt.Sprintf("Disallow: /*/%s-%d?*sort=", word(), i)
		case i%10 == 6:
			line += "*." + word() + "$"
		case i%7 == 5:
			line = "Allow: " + dirs[i] + word()
		}
		fmt.Fprintln(body, line)
	}
	body.WriteString("\nUser-agent: ThirdBot\nDisallow: /private/\nSitemap: " + host + "/sitemap.xml\n")
	c := &robotsCase{body: body.Bytes()}
	addresses := 1000
	if patterns {
		addresses = 20
	}
	for i := range addresses {
		path := dirs[rng.IntN(n)] + word()
		switch {
		case patterns:
			path = "/" + strings.Repeat("ab", 1000) + fmt.Sprint("z", rng.IntN(2*n))
		case i%2 == 0:
			path = fmt.Sprintf("/%s/%d/%s.html?page=%d", word(), i, word(), i)
		case i%5 == 0:
			path = fmt.Sprintf("/x/%s-%d?page=%d&sort=price", word(), rng.IntN(n), i)
		}
		a, err := address(host + path)
		if err != nil {
			return nil, err
		}
		c.ask = append(c.ask, a)
	}
	return c, nil
}

func address(raw string) (Address, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Address{}, err
	}
	return Address{Raw: u.String(), URL: u, Path: u.RequestURI()}, nil
}
