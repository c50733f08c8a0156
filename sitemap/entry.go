package sitemap

import (
	"fmt"
	"time"
)

// Entry is one page or sitemap that a sitemap names. It is plain data: the caller may keep
// it and whatever it refers to. The strings of extensions are cut from pieces of memory of
// 1 KiB that neighbours share; Loc and Raw are not.
type Entry struct {
	// Loc is the URL: absolute, http or https, normalised (lower-case A-label host, no
	// default port, no fragment, dot segments resolved, forbidden characters escaped), at
	// most 8,192 bytes.
	Loc string
	// Raw is the URL as written, entities decoded and white space trimmed. It is the same
	// string as Loc where nothing had to be changed.
	Raw string
	// LastMod is when the target last changed, in UTC; the zero Time if the sitemap doesn't
	// say or can't be understood. A date without a zone counts as UTC.
	LastMod time.Time
	// Precision tells how exact LastMod is: "2024" is not the first of January.
	Precision Precision
	// ChangeFreq is always, hourly, daily, weekly, monthly, yearly, never or empty.
	ChangeFreq string
	// Priority runs from 0 to 1. It means something only if HasPriority is set; the default
	// of 0.5 that sitemaps.org gives an absent one is not filled in.
	Priority    float32
	HasPriority bool
	// Sitemap: Loc is another sitemap, not a page.
	Sitemap bool
	// Outside: Loc breaks the location rule of sitemaps.org, that a sitemap speaks for its
	// own scheme, host, port and directory. Sites break it all the time; it is a remark.
	Outside bool
	// Mobile: the page is marked for feature phones (an extension of Google's).
	Mobile bool

	// The extensions, read if Options.Extensions asks for it; at most 1,000 of each.
	Alternates []Alternate
	Images     []Image
	Videos     []Video
	News       *News
}

// ChangedSince reports whether the target may have changed at or after t: if LastMod lies
// there, if the time that LastMod stands for reaches there (the day of a date), or if
// there is no LastMod.
func (e Entry) ChangedSince(t time.Time) bool {
	return e.LastMod.IsZero() || e.Precision.end(e.LastMod).After(t)
}

// Precision is how much of a date was written down.
type Precision uint8

// The precisions of the W3C note on dates (https://www.w3.org/TR/NOTE-datetime).
// PrecisionNone, the zero value, means that there is no date.
const (
	PrecisionNone Precision = iota
	PrecisionYear
	PrecisionMonth
	PrecisionDay
	PrecisionMinute
	PrecisionSecond
	PrecisionFraction
)

// String returns none, year, month, day, minute, second or fraction.
func (p Precision) String() string {
	names := precisionNames()
	if int(p) >= len(names) {
		return "unknown"
	}
	return names[p]
}

func precisionNames() [7]string {
	return [...]string{"none", "year", "month", "day", "minute", "second", "fraction"}
}

// MarshalText returns what String returns.
func (p Precision) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText returns for one of the precisions.
func (p *Precision) UnmarshalText(text []byte) error {
	names := precisionNames()
	return unmarshal(p, names[:], text, "precision")
}

// unmarshal sets v to the index of text in names.
func unmarshal[T ~uint8](v *T, names []string, text []byte, what string) error {
	for i, name := range names {
		if string(text) == name {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("sitemap: unknown %s %q", what, text[:min(len(text), maxWarningValue)])
}

// end is the first moment after the time that t stands for.
func (p Precision) end(t time.Time) time.Time {
	switch p {
	case PrecisionYear:
		return t.AddDate(1, 0, 0)
	case PrecisionMonth:
		return t.AddDate(0, 1, 0)
	case PrecisionDay:
		return t.AddDate(0, 0, 1)
	case PrecisionMinute:
		return t.Add(time.Minute)
	case PrecisionSecond:
		return t.Add(time.Second)
	default:
		return t.Add(1)
	}
}

// Kind is what the content of a file turned out to be.
type Kind uint8

// The kinds. KindUnknown, the zero value, is anything that is no sitemap; KindHTML is the
// commonest of those, a page served in place of a sitemap.
const (
	KindUnknown Kind = iota
	KindURLSet
	KindIndex
	KindText
	KindRSS
	KindAtom
	KindHTML
)

// String returns unknown, urlset, index, text, rss, atom or html.
func (k Kind) String() string {
	names := kindNames()
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

func kindNames() [7]string {
	return [...]string{"unknown", "urlset", "index", "text", "rss", "atom", "html"}
}

// MarshalText returns what String returns.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (k *Kind) UnmarshalText(text []byte) error {
	names := kindNames()
	return unmarshal(k, names[:], text, "kind")
}
