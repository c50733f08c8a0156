package sitemap

import "time"

// maxExtensions bounds each kind of extension of an entry; 1,000 images is Google's limit
// (https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps).
const maxExtensions = 1000

// maxExtra bounds the bytes of all extensions of an entry.
const maxExtra = 256 << 10

// Alternate is a version of a page in another language or for another device: an
// xhtml:link with rel="alternate".
type Alternate struct {
	Hreflang string // BCP 47 language tag or x-default; as written
	Media    string // media query; as written
	Href     string // absolute and normalised
}

// Image is an image of Google's image extension. One without a usable Loc is left out.
type Image struct {
	Loc, License                string // absolute and normalised
	Title, Caption, GeoLocation string
}

// Flag is an answer that may be missing.
type Flag uint8

// The flags. FlagUnset, the zero value, is a missing or unusable answer.
const (
	FlagUnset Flag = iota
	FlagYes
	FlagNo
)

// String returns unset, yes or no.
func (f Flag) String() string {
	names := flagNames()
	if int(f) >= len(names) {
		return "unknown"
	}
	return names[f]
}

func flagNames() [3]string { return [...]string{"unset", "yes", "no"} }

// MarshalText returns what String returns.
func (f Flag) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText returns for one of the flags.
func (f *Flag) UnmarshalText(text []byte) error {
	names := flagNames()
	return unmarshal(f, names[:], text, "flag")
}

// Video is a video of Google's video extension. A zero field is a missing or unusable
// value.
type Video struct {
	ThumbnailLoc, ContentLoc, PlayerLoc string // absolute and normalised
	Title, Description, Category        string
	Duration                            time.Duration
	ExpirationDate, PublicationDate     time.Time // UTC
	Rating                              float32   // 0 to 5
	ViewCount                           int64
	Tags                                []string // at most 32
	FamilyFriendly                      Flag
	RequiresSubscription                Flag
	Live                                Flag
	Restriction                         Restriction // of countries
	Platform                            Restriction // of devices
	Uploader                            Uploader
}

// Restriction says where a video may be shown.
type Restriction struct {
	Relationship string // allow or deny; as written
	Value        string // blank-separated countries or platforms
}

// Uploader is who published a video.
type Uploader struct {
	Name string
	Info string // URL of a page about them; as written
}

// News is an article of Google's news extension. A zero field is a missing or unusable
// value.
type News struct {
	Name, Language         string // of the publication
	Title                  string
	PublicationDate        time.Time // UTC
	Access, Genres         string    // older fields that are still seen
	Keywords, StockTickers string
}
