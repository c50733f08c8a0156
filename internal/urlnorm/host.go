package urlnorm

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// Limits of a host name in bytes, without the trailing dot (RFC 1035 section 2.3.4).
const (
	maxName  = 253
	maxLabel = 63
)

// Host returns the canonical form of a host without port: lower case, IDNA A-labels (the
// mapping that net/http applies before it dials), one trailing dot off. IPv6 literals may
// come with or without brackets and leave with them, in the form of RFC 5952; an
// IPv4-mapped one becomes the IPv4 address it stands for. Zone identifiers are refused.
func Host(host string) (string, error) {
	if strings.IndexByte(host, ':') >= 0 || strings.IndexByte(host, '[') >= 0 {
		return literal(host)
	}
	if strings.IndexByte(host, '%') >= 0 {
		var err error
		if host, err = unescapeHost(host); err != nil {
			return "", err
		}
	}
	if !isASCII(host) {
		mapped, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", ErrHost
		}
		host = mapped
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !validName(host) {
		return "", ErrHost
	}
	return host, nil
}

func literal(host string) (string, error) {
	in, opened := strings.CutPrefix(host, "[")
	in, closed := strings.CutSuffix(in, "]")
	if opened != closed {
		return "", ErrHost
	}
	ip, err := netip.ParseAddr(in)
	if err != nil || !ip.Is6() || ip.Zone() != "" {
		return "", ErrHost
	}
	if ip.Is4In6() {
		return ip.Unmap().String(), nil
	}
	return "[" + ip.String() + "]", nil
}

// validName checks what DNS and the authority syntax need: labels of 1 to 63 letters,
// digits, hyphens and underscores (seen in practice), none of which begins with a hyphen.
func validName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	label := 0 // length of the label so far
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			if label == 0 {
				return false
			}
			label = 0
			continue
		case c == '-':
			if label == 0 {
				return false
			}
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
		default:
			return false
		}
		if label++; label > maxLabel {
			return false
		}
	}
	return label > 0
}

// unescapeHost decodes the escapes of non-ASCII bytes, which is how net/url writes an
// internationalised host. An escaped ASCII character has no business in a host.
func unescapeHost(s string) (string, error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if !isEscape(s, i) {
			return "", ErrHost
		}
		c := unhex(s[i+1])<<4 | unhex(s[i+2])
		if c < 0x80 {
			return "", ErrHost
		}
		b = append(b, c)
		i += 2
	}
	return string(b), nil
}

// cutPort splits host and port. The port comes back without leading zeros, or empty.
func cutPort(s string) (host, port string, err error) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i < strings.LastIndexByte(s, ']') {
		return s, "", nil
	}
	host, port = s[:i], s[i+1:]
	if strings.IndexByte(host, ':') >= 0 && host[0] != '[' {
		return "", "", ErrPort // IPv6 needs its brackets in a URL
	}
	if port == "" {
		return host, "", nil
	}
	if len(port) > 5 {
		return "", "", ErrPort
	}
	n := 0
	for j := range len(port) {
		if port[j] < '0' || port[j] > '9' {
			return "", "", ErrPort
		}
		n = n*10 + int(port[j]-'0')
	}
	if n < 1 || n > 65535 {
		return "", "", ErrPort
	}
	return host, strings.TrimLeft(port, "0"), nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
