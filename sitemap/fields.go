package sitemap

import (
	"math"
	"strconv"
	"strings"
)

// field is a value that is being read.
type field uint8

const (
	fieldNone field = iota
	fieldLoc
	fieldLastMod
	fieldChangeFreq
	fieldPriority

	fieldImageLoc
	fieldImageTitle
	fieldImageCaption
	fieldImageGeo
	fieldImageLicense

	fieldVideoThumbnail
	fieldVideoTitle
	fieldVideoDescription
	fieldVideoContent
	fieldVideoPlayer
	fieldVideoDuration
	fieldVideoExpires
	fieldVideoRating
	fieldVideoViews
	fieldVideoPublished
	fieldVideoFamily
	fieldVideoTag
	fieldVideoCategory
	fieldVideoRestriction
	fieldVideoPlatform
	fieldVideoSubscription
	fieldVideoUploader
	fieldVideoLive

	fieldNewsName
	fieldNewsLanguage
	fieldNewsGenres
	fieldNewsPublished
	fieldNewsTitle
	fieldNewsKeywords
	fieldNewsTickers
	fieldNewsAccess

	fieldFeedLink
	fieldFeedID
	fieldFeedDate // and the next maxFeedDates
)

// collect begins a field. Where its text and end tag are in sight it is read at once.
func (p *parser) collect(f field, name []byte, self bool) element {
	if self || f == fieldNone {
		return elUnknown
	}
	p.field = f
	p.inner = 0
	p.acc = p.acc[:0]
	if text, ok := p.tok.leaf(name); ok {
		p.acc = p.decode(p.acc, text, false)
		p.finish()
		return elNone
	}
	_, local := splitName(name)
	p.fieldName = append(p.fieldName[:0], local...)
	p.tok.skipBlank = false
	return elField
}

// finish ends the field that is being read.
func (p *parser) finish() {
	f := p.field
	p.field = fieldNone
	p.tok.skipBlank = true
	if len(p.acc) >= maxField {
		if f == fieldLoc {
			p.locSeen = true
			p.warn(WarnLocTooLong, string(p.acc[:maxWarningValue]))
		}
		return
	}
	if f > fieldPriority && f <= fieldNewsAccess {
		p.finishExtra(f, p.cleanExtra(p.acc))
		return
	}
	v := p.clean(p.acc)
	switch {
	case v == "" || !p.open:
	case f <= fieldPriority:
		p.setCore(f, v)
	default:
		p.setFeed(f, strings.TrimSpace(v))
	}
}

// finishExtra sets a value of an extension.
func (p *parser) finishExtra(f field, v string) {
	switch {
	case v == "" || !p.open:
	case f <= fieldImageLicense:
		p.setImage(f, v)
	case f <= fieldVideoLive:
		p.setVideo(f, v)
	default:
		p.setNews(f, v)
	}
}

func coreField(local []byte) field {
	switch string(local) {
	case "loc":
		return fieldLoc
	case "lastmod":
		return fieldLastMod
	case "changefreq":
		return fieldChangeFreq
	case "priority":
		return fieldPriority
	}
	return fieldNone
}

// setCore sets a value of the protocol.
func (p *parser) setCore(f field, v string) {
	switch f {
	case fieldLoc:
		p.locSeen = true
		if p.tainted {
			p.warn(WarnBadEntity, v)
			return
		}
		p.e.Raw = v
		p.setLoc(v)
	case fieldLastMod:
		t, precision, ok := parseDate(v)
		if !ok {
			p.warn(WarnBadLastMod, v)
			return
		}
		p.e.LastMod, p.e.Precision = t, precision
	case fieldChangeFreq:
		if p.e.ChangeFreq = changeFreq(v); p.e.ChangeFreq == "" {
			p.warn(WarnBadFreq, v)
		}
	case fieldPriority:
		if p.e.Priority, p.e.HasPriority = priority(v); !p.e.HasPriority {
			p.warn(WarnBadPriority, v)
		}
	default:
	}
}

// changeFreq returns one of the seven words of sitemaps.org, or "".
func changeFreq(v string) string {
	for _, word := range [...]string{"weekly", "daily", "monthly", "always", "hourly", "yearly", "never"} {
		if len(v) == len(word) && strings.EqualFold(v, word) {
			return word
		}
	}
	return ""
}

// priority reads a number from 0 to 1, with a point or a comma.
func priority(v string) (float32, bool) {
	x, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 32)
	if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
		return 0, false
	}
	return float32(x), true
}
