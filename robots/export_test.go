package robots

// Modes that only tests read files in.
const (
	Google         = modeGoogle
	RFC9309        = modeRFC
	DelayEndsGroup = modeDelayEndsGroup
	Union          = modeUnion
)

// Mode is a set of them.
type Mode = mode

// ParseMode is Parse in a mode, which the groups take over.
func ParseMode(body []byte, m Mode) *File { return parse(body, m) }

// Normal returns the normal form of an address's path and query.
func Normal(address string) string {
	path, slash := cutPath(address)
	if !slash {
		path = "/" + path
	}
	return string(appendNormal(nil, path, false))
}
