package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"

	"github.com/politefetch/sdk/sitemap"
)

// A record is an entry of a sitemap as -json writes it: what is not set is left out.
type record struct {
	Loc        string            `json:"loc"`
	Raw        string            `json:"raw,omitempty"`      // as written, where that differs
	LastMod    time.Time         `json:"lastmod,omitzero"`   // UTC
	Precision  sitemap.Precision `json:"precision,omitzero"` // how much of it was written
	ChangeFreq string            `json:"changefreq,omitempty"`
	Priority   *float32          `json:"priority,omitempty"`
	Sitemap    bool              `json:"sitemap,omitzero"` // not a page
	Outside    bool              `json:"outside,omitzero"`
	Mobile     bool              `json:"mobile,omitzero"`
	Alternates []alternate       `json:"alternates,omitempty"`
	Images     []image           `json:"images,omitempty"`
	Videos     []*video          `json:"videos,omitempty"`
	News       *news             `json:"news,omitempty"`
}

type alternate struct {
	Hreflang string `json:"hreflang,omitempty"`
	Media    string `json:"media,omitempty"`
	Href     string `json:"href"`
}

type image struct {
	Loc         string `json:"loc"`
	License     string `json:"license,omitempty"`
	Title       string `json:"title,omitempty"`
	Caption     string `json:"caption,omitempty"`
	GeoLocation string `json:"geo_location,omitempty"`
}

type news struct {
	Name            string    `json:"name,omitempty"`
	Language        string    `json:"language,omitempty"`
	Title           string    `json:"title,omitempty"`
	PublicationDate time.Time `json:"publication_date,omitzero"`
	Access          string    `json:"access,omitempty"`
	Genres          string    `json:"genres,omitempty"`
	Keywords        string    `json:"keywords,omitempty"`
	StockTickers    string    `json:"stock_tickers,omitempty"`
}

type video struct {
	Thumbnail    string       `json:"thumbnail_loc,omitempty"`
	Content      string       `json:"content_loc,omitempty"`
	Player       string       `json:"player_loc,omitempty"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description,omitempty"`
	Category     string       `json:"category,omitempty"`
	Seconds      float64      `json:"duration,omitzero"`
	Expires      time.Time    `json:"expiration_date,omitzero"`
	Published    time.Time    `json:"publication_date,omitzero"`
	Rating       float32      `json:"rating,omitzero"`
	ViewCount    int64        `json:"view_count,omitzero"`
	Tags         []string     `json:"tags,omitempty"`
	Family       sitemap.Flag `json:"family_friendly,omitzero"`
	Subscription sitemap.Flag `json:"requires_subscription,omitzero"`
	Live         sitemap.Flag `json:"live,omitzero"`
	Restriction  restriction  `json:"restriction,omitzero"`
	Platform     restriction  `json:"platform,omitzero"`
	Uploader     uploader     `json:"uploader,omitzero"`
}

type restriction struct {
	Relationship string `json:"relationship,omitempty"`
	Value        string `json:"value,omitempty"`
}

type uploader struct {
	Name string `json:"name,omitempty"`
	Info string `json:"info,omitempty"`
}

// A linkRecord is a link of an llms.txt as -json writes it.
type linkRecord struct {
	URL      string `json:"url"`
	Raw      string `json:"raw,omitempty"` // as written, where that differs
	Title    string `json:"title,omitempty"`
	Section  string `json:"section,omitempty"`
	Optional bool   `json:"optional,omitzero"` // its section is
	Group    string `json:"group,omitempty"`
	Label    string `json:"label,omitempty"`
	Note     string `json:"note,omitempty"`
	Bare     bool   `json:"bare,omitzero"`
	Inline   bool   `json:"inline,omitzero"` // in the text, not an entry
}

func newRecord(e *sitemap.Entry) *record {
	r := &record{
		Loc: e.Loc, Raw: differing(e.Raw, e.Loc), LastMod: e.LastMod, Precision: e.Precision, ChangeFreq: e.ChangeFreq,
		Sitemap: e.Sitemap, Outside: e.Outside, Mobile: e.Mobile, News: (*news)(e.News),
	}
	if e.HasPriority {
		r.Priority = &e.Priority
	}
	for _, x := range e.Alternates {
		r.Alternates = append(r.Alternates, alternate(x))
	}
	for _, x := range e.Images {
		r.Images = append(r.Images, image(x))
	}
	for i := range e.Videos {
		r.Videos = append(r.Videos, newVideo(&e.Videos[i]))
	}
	return r
}

func newVideo(v *sitemap.Video) *video {
	return &video{
		Thumbnail: v.ThumbnailLoc, Content: v.ContentLoc, Player: v.PlayerLoc,
		Title: v.Title, Description: v.Description, Category: v.Category,
		Seconds: v.Duration.Seconds(), Expires: v.ExpirationDate, Published: v.PublicationDate,
		Rating: v.Rating, ViewCount: v.ViewCount, Tags: v.Tags,
		Family: v.FamilyFriendly, Subscription: v.RequiresSubscription, Live: v.Live,
		Restriction: restriction(v.Restriction), Platform: restriction(v.Platform), Uploader: uploader(v.Uploader),
	}
}

// differing returns raw unless it is the same as the address that became of it.
func differing(raw, url string) string {
	if raw == url {
		return ""
	}
	return raw
}

// printJSON writes v on one line, in ASCII: what is escaped steers no terminal.
func (l *lister) printJSON(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // an address with "&" stays legible
	if err := enc.Encode(v); err != nil {
		l.screen.stop(err)
		return
	}
	line := make([]byte, 0, b.Len())
	for _, c := range string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) { // the encoder has replaced what isn't UTF-8
		switch {
		case c < 0x7f:
			line = append(line, byte(c))
		case c <= 0xffff:
			line = fmt.Appendf(line, `\u%04x`, c)
		default:
			high, low := utf16.EncodeRune(c)
			line = fmt.Appendf(line, `\u%04x\u%04x`, high, low)
		}
	}
	l.print(string(line))
}
