package main

// redirectPromises are about where redirects lead.
func redirectPromises() []promise {
	return []promise{
		{
			words: "A redirect into what robots.txt disallows, here or at another host, is not followed", by: "RFC 9309 2.2.2",
			ask:   []string{"/go?/private/x", "/go?b/private/x", "/open"},
			serve: map[string]answer{"/robots.txt": text(privateRobots)}, kept: obeyed("/private/x b/private/x", "/open"),
		},
		{
			words: "Nor, in the reading of one site, one that leaves it", needs: links, site: true, ask: []string{"/"},
			serve: map[string]answer{"a/": home("/go?b/elsewhere", "/open")}, kept: obeyed("b/elsewhere b/robots.txt", "/open"),
		},
		{
			words: "Each hop of a redirect waits its turn", ask: []string{"/go?/there"}, delay: pacedDelay,
			kept: func(l requests) (bool, string) { return l.pages().spaced(pacedDelay) },
		},
	}
}
