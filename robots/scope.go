package robots

// scoped returns the group's records of a kind other than rules: those in its scope, and
// those before the first User-agent line. A record belongs to the User-agent lines before
// it, back to the last rule or record of its kind: of two groups that are no more than a
// delay each keeps its own, though the rules that follow are for both.
func (g *Group) scoped(k kind) (own, orphans []record) {
	in, closed, begun := false, false, false
	for _, r := range g.file.records {
		switch r.kind() {
		case kindUserAgent:
			in = in && !closed || g.chosen.holds(g.file.value(r))
			closed, begun = false, true
		case kindAllow, kindDisallow:
			closed = true
		case k:
			switch {
			case !begun:
				orphans = append(orphans, r)
			case in:
				own = append(own, r)
			}
			closed = true
		default:
		}
	}
	return own, orphans
}

// values reads the group's records of a kind and leaves out those that make no sense. If
// none are left, those before the first User-agent line count, as a default for all.
func values[T any](g *Group, k kind, parse func(value string, line int) (T, bool)) []T {
	own, orphans := g.scoped(k)
	for _, records := range [][]record{own, orphans} {
		var list []T
		for _, r := range records {
			if v, ok := parse(g.file.value(r), r.line()); ok {
				list = append(list, v)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}
