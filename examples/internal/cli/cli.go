// Package cli is what the example commands have in common: help that fits a terminal, the
// addresses that command lines hold, and what to do where the address guard refuses one.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Width is the most that a line of help takes.
const Width = 90

// AllowAddr is the usage of a flag -allow-addr; [AddrPorts] reads its values.
const AllowAddr = "let the address guard pass exactly `IP:PORT`, such as 127.0.0.1:8080 for a server on this machine; may be repeated"

// Help prints the usage, the flags, wrapped, and what there is to say after them.
func Help(out io.Writer, fs *flag.FlagSet, head, tail string) {
	fmt.Fprint(out, head)
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(out, "  -%s\n", strings.TrimSpace(f.Name+" "+value))
		const indent = "        "
		line := ""
		for word := range strings.FieldsSeq(usage) {
			if line != "" && len(indent)+len(line)+1+len(word) > Width {
				fmt.Fprintf(out, "%s%s\n", indent, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		fmt.Fprintf(out, "%s%s\n", indent, line)
	})
	fmt.Fprint(out, tail)
}

// AddrPorts returns the setter of a flag that holds an IP address and a port and may be
// repeated.
func AddrPorts(to *[]netip.AddrPort) func(string) error {
	return func(s string) error {
		a, err := netip.ParseAddrPort(s)
		if err != nil {
			return errors.New("not an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080")
		}
		*to = append(*to, a)
		return nil
	}
}

// WebAddress reads an http or https address from a command line. The error says what is
// wrong with it.
func WebAddress(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil, errors.New("the address is empty")
	case err == nil && u.User != nil:
		return nil, errors.New("the address holds a user name; no credentials are ever sent")
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is not a web address%s", WithoutPassword(s), insteadOf(s))
	case u.Hostname() == "":
		return nil, fmt.Errorf("%q is not a web address: it names no host", s)
	}
	return u, nil
}

// insteadOf says what somebody may have meant by what is no web address.
func insteadOf(s string) string {
	scheme, _, ok := strings.Cut(s, "://")
	switch meant, err := url.Parse("https://" + strings.TrimLeft(s, "/")); {
	case scheme == "http", scheme == "https":
		return ""
	case !ok && err == nil && meant.User == nil && meant.Hostname() != "":
		return fmt.Sprintf("; do you mean %s ?", meant)
	}
	return ": it begins with neither http:// nor https://"
}

// WithoutPassword is as much of what somebody wrote for an address as may be shown.
func WithoutPassword(s string) string {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		return "…" + s[i:]
	}
	return s
}

// RoundUp is t as text, no earlier than t where the layout drops what is shorter than unit.
func RoundUp(t time.Time, unit time.Duration, layout string) string {
	if whole := t.Truncate(unit); !whole.Equal(t) {
		t = whole.Add(unit)
	}
	return t.Format(layout)
}
