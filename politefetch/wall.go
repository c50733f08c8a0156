package politefetch

import (
	"fmt"
	"net/http"

	"github.com/politefetch/sdk/internal/botwall"
)

// A Wall is what a bot wall or challenge page gave itself away by. The zero Wall is not
// a wall.
type Wall struct {
	Kind   WallKind
	Vendor string // who makes it: "cloudflare", "akamai", …; "" when NotAWall
	Marker string // what it was known by
}

// WallKind tells challenges, which a browser might pass, from blocks.
type WallKind uint8

// The kinds of Walls.
const (
	NotAWall  WallKind = iota
	Challenge          // asks the visitor to prove that it is a browser or a person
	Block              // turns the visitor away
)

// String returns "none", "challenge" or "block".
func (k WallKind) String() string { return botwall.Kind(k).String() }

// MarshalText implements [encoding.TextMarshaler] with the text of String.
func (k WallKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *WallKind) UnmarshalText(text []byte) error {
	for known := NotAWall; known <= Block; known++ {
		if known.String() == string(text) {
			*k = known
			return nil
		}
	}
	return fmt.Errorf("politefetch: %.40q is no WallKind", text)
}

// DetectWall reports whether an answer comes from a bot wall instead of the site. It
// goes by proof alone (a vendor's verdict header, the shape of its pages, LinkedIn's own
// status 999), never by another status, a cookie or the mere presence of a vendor. At most
// the first 256 KiB of body are looked at; nil is fine.
func DetectWall(status int, h http.Header, body []byte) Wall {
	return wallOf(botwall.Detect(status, h, body))
}

func wallOf(w botwall.Wall) Wall {
	return Wall{Kind: WallKind(w.Kind), Vendor: w.Vendor, Marker: w.Marker}
}

// String names the wall: "cloudflare challenge (cf-mitigated)".
func (w Wall) String() string {
	if w.Kind == NotAWall {
		return w.Kind.String()
	}
	return w.Vendor + " " + w.Kind.String() + " (" + clip(w.Marker) + ")"
}
