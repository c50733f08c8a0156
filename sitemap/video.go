package sitemap

import (
	"strings"
	"time"
)

// Limits of Google's video extension.
const (
	maxVideoTags = 32
	maxDuration  = 28800 // seconds
	maxRating    = 5
	maxViews     = 1 << 53 // exact in a float64
)

func (p *parser) startVideo(top element, tag []byte, name, attr []byte, self bool) element {
	switch {
	case top == elURL && string(tag) == "video":
		if !p.room(len(p.e.Videos)) {
			return elUnknown
		}
		p.e.Videos = append(p.e.Videos, Video{})
		return elVideo
	case top == elVideo:
		p.fieldAttr = ""
		attributes(attr, func(name, value []byte) {
			if s := string(name); s == "relationship" || s == "info" {
				p.fieldAttr = p.cleanExtra(value)
			}
		})
		return p.collect(videoField(tag), name, self)
	}
	return elUnknown
}

func videoField(tag []byte) field {
	names := [...]string{
		"thumbnail_loc", "title", "description", "content_loc", "player_loc", "duration", "expiration_date",
		"rating", "view_count", "publication_date", "family_friendly", "tag", "category", "restriction",
		"platform", "requires_subscription", "uploader", "live",
	}
	for i, name := range names {
		if string(tag) == name {
			return fieldVideoThumbnail + field(i)
		}
	}
	return fieldNone
}

func (p *parser) setVideo(f field, v string) {
	if len(p.e.Videos) == 0 || !p.spend(v) || !p.spend(p.fieldAttr) {
		return
	}
	video := &p.e.Videos[len(p.e.Videos)-1]
	switch f {
	case fieldVideoThumbnail:
		video.ThumbnailLoc = p.extraURL(v)
	case fieldVideoTitle:
		video.Title = v
	case fieldVideoDescription:
		video.Description = v
	case fieldVideoContent:
		video.ContentLoc = p.extraURL(v)
	case fieldVideoPlayer:
		video.PlayerLoc = p.extraURL(v)
	case fieldVideoDuration:
		video.Duration = time.Duration(number(v, maxDuration) * float64(time.Second))
	case fieldVideoExpires:
		video.ExpirationDate = p.extraDate(v)
	case fieldVideoRating:
		video.Rating = float32(number(v, maxRating))
	case fieldVideoViews:
		video.ViewCount = int64(number(v, maxViews))
	case fieldVideoPublished:
		video.PublicationDate = p.extraDate(v)
	case fieldVideoFamily:
		video.FamilyFriendly = flag(v)
	case fieldVideoTag:
		if len(video.Tags) < maxVideoTags {
			video.Tags = append(video.Tags, v)
		}
	case fieldVideoCategory:
		video.Category = v
	case fieldVideoRestriction:
		video.Restriction = Restriction{Relationship: p.fieldAttr, Value: v}
	case fieldVideoPlatform:
		video.Platform = Restriction{Relationship: p.fieldAttr, Value: v}
	case fieldVideoSubscription:
		video.RequiresSubscription = flag(v)
	case fieldVideoUploader:
		video.Uploader = Uploader{Name: v, Info: p.fieldAttr}
	case fieldVideoLive:
		video.Live = flag(v)
	default:
	}
}

func flag(v string) Flag {
	switch strings.ToLower(v) {
	case "yes", "true", "1":
		return FlagYes
	case "no", "false", "0":
		return FlagNo
	}
	return FlagUnset
}
