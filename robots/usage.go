package robots

import "strings"

// ContentSignals returns the group's Content-Signal preferences (contentsignals.org), such
// as "ai-train": "no", with names in lower case; nil if there are none. What is refused
// once is refused. Lines before the first User-agent count for groups that have none.
func (g *Group) ContentSignals() map[string]string {
	var signals map[string]string
	for _, line := range values(g, kindContentSignal, parseSignals) {
		for name, value := range line {
			if signals == nil {
				signals = make(map[string]string)
			}
			if signals[name] != "no" {
				signals[name] = value
			}
		}
	}
	return signals
}

// parseSignals reads "search=yes, ai-train=no".
func parseSignals(s string, _ int) (map[string]string, bool) {
	signals := make(map[string]string)
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if name != "" && value != "" && signals[name] != "no" {
			signals[name] = value
		}
	}
	return signals, len(signals) > 0
}

// ContentUsage returns the usage preferences that the group's Content-Usage lines state
// for the address, as for [Group.TestPath]: true for "y", false for "n"
// (draft-ietf-aipref-attach). Of lines with a path those with the longest that matches
// count; where they contradict each other, "n" does. It is nil if no line speaks of the
// address, or if the address may not be asked for at all. Lines before the first
// User-agent count for groups that have none.
func (g *Group) ContentUsage(pathAndQuery string) map[string]bool {
	if !g.TestPath(pathAndQuery).Allowed {
		return nil
	}
	path, slash := cutPath(pathAndQuery)
	if !slash {
		path = "/" + path
	}
	path = string(appendNormal(nil, path, false))
	longest := -1
	var merged map[string]bool
	for _, u := range values(g, kindContentUsage, parseUsage) {
		if len(u.pattern) < longest || u.pattern != "" && !matchOne(u.pattern, path) {
			continue
		}
		if len(u.pattern) > longest {
			longest, merged = len(u.pattern), make(map[string]bool)
		}
		for name, yes := range u.members {
			if was, ok := merged[name]; !ok || was {
				merged[name] = yes
			}
		}
	}
	return merged
}

// A usage is the value of a Content-Usage line.
type usage struct {
	pattern string // in normal form; "": all addresses
	members map[string]bool
}

// parseUsage reads "train-ai=n" or "/path train-ai=n".
func parseUsage(s string, _ int) (u usage, ok bool) {
	if strings.HasPrefix(s, "/") {
		i := strings.IndexAny(s, " \t")
		if i < 0 {
			return u, false
		}
		u.pattern, s = string(appendNormal(nil, s[:i], true)), s[i:]
	}
	u.members, ok = parseDict(s)
	return u, ok
}

// matchOne reports whether one pattern matches one path, both in normal form.
func matchOne(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	prefix, rest, wild := strings.Cut(pattern, "*")
	path, ok := strings.CutPrefix(path, prefix)
	if !ok {
		return false
	}
	if wild {
		return glob(path, rest, anchored)
	}
	return !anchored || path == ""
}

// parseDict reads the members of a structured-field dictionary (RFC 9651, section 3.2)
// whose values are the tokens y and n. Members with other values are left out, and a later
// member replaces an earlier one of its name. A dictionary that has something else than
// members is none at all.
func parseDict(s string) (map[string]bool, bool) {
	members := make(map[string]bool)
	for part := range strings.SplitSeq(s, ",") {
		item, _, _ := strings.Cut(part, ";") // parameters say nothing to us
		name, value, valued := strings.Cut(strings.TrimSpace(item), "=")
		if !isKey(name) || valued && value == "" {
			return nil, false
		}
		delete(members, name)
		if value == "y" || value == "n" {
			members[name] = value == "y"
		}
	}
	return members, true
}

// isKey reports whether s is a key of a structured field.
func isKey(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c == '*':
		case i > 0 && (c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}
