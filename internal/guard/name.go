package guard

import "strings"

// nameRule returns why a canonical host name may not be looked up, or "".
func nameRule(host string) string {
	i := strings.LastIndexByte(host, '.')
	switch {
	case host == "":
		return "URL has no host"
	case number(host[i+1:]):
		// Resolvers of the C library read 0177.1 and 2130706433 as addresses; the URL
		// Standard of the WHATWG takes every such name for an address too.
		return "host ends in a number"
	case i < 0:
		// A resolver may complete it with a search domain of the network we run in.
		return "host is a single label"
	case local(host):
		return "host is a name of local networks"
	}
	return ""
}

// number reports whether a label is one by the URL Standard: decimal, octal or hex.
func number(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	if label == "" {
		return false
	}
	for i := range len(digits) {
		c := digits[i]
		if (c < '0' || c > '9') && (!hex || c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// local reports whether a name lies under a suffix that is reserved for, or common in,
// private networks.
func local(host string) bool {
	if host == "home.arpa" || strings.HasSuffix(host, ".home.arpa") { // RFC 8375
		return true
	}
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "localhost", // RFC 6761
		"local",    // mDNS, RFC 6762
		"onion",    // RFC 7686
		"internal", // reserved by ICANN in 2024
		"localdomain",
		"lan", "intranet", "corp", "home", "private": // RFC 6762 appendix G
		return true
	}
	return false
}

// port reports whether a port may be contacted without an Allow entry.
func (o *Options) port(p uint16) bool {
	if p == 80 || p == 443 {
		return true
	}
	return o.AnyPort && !badPort(p)
}

// badPort reports whether a port is one that browsers refuse because another protocol
// lives there (Fetch Standard, section "port blocking").
func badPort(p uint16) bool {
	switch p {
	case 0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
		101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
		389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
		636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
		6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080:
		return true
	}
	return false
}
