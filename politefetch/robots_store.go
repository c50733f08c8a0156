package politefetch

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"net/url"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

// robotsRecord is the first line of a copy in the store; the file's text follows it.
type robotsRecord struct {
	Version  int       `json:"v"`
	Asked    time.Time `json:"asked"`
	Fresh    time.Time `json:"fresh"`
	Status   int       `json:"status"`
	ETag     string    `json:"etag,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Size     int       `json:"size"` // of the text, with its checksum: half a file must not pass for a whole one
	Sum      uint32    `json:"crc32"`
}

const robotsVersion = 1

// robotsKey keeps copies apart from the pacing records in one store.
func robotsKey(authority string) string { return "robots.txt of " + authority }

// save keeps a copy in the store for as long as it may stand in for the file. Of a copy
// that was found unchanged only the dates are new; if the store no longer has the text
// that goes with its validators, it is left as it is.
func (c *robotsCopies) save(ctx context.Context, authority string, r *robotsCopy) error {
	if c.store == nil {
		return nil
	}
	head := robotsRecord{Version: robotsVersion, Asked: r.asked, Fresh: r.fresh, Status: r.status, ETag: r.etag, Modified: r.modified}
	return c.update(ctx, robotsKey(authority), func(now time.Time, rec []byte) ([]byte, time.Time) {
		h, text := head, r.body
		if text == nil {
			old, body, ok := parseRecord(rec)
			if !ok || old.ETag != r.etag || old.Modified != r.modified {
				return nil, time.Time{}
			}
			text = body
		}
		h.Size, h.Sum = len(text), crc32.ChecksumIEEE(text)
		line, err := json.Marshal(h)
		if err != nil {
			return nil, time.Time{} // no value of these types fails
		}
		next := make([]byte, 0, len(line)+1+len(text))
		return append(append(append(next, line...), '\n'), text...), now.Add(robotsLast)
	})
}

// update is one call of the store, which may take no longer than the limiter's do.
func (c *robotsCopies) update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	ctx, cancel := context.WithTimeout(ctx, ratepolicy.CallTimeout(c.store))
	defer cancel()
	return c.store.Update(ctx, key, fn)
}

// parseRecord splits a record of the store; ok is false if there is none that is whole
// and of this version.
func parseRecord(rec []byte) (h robotsRecord, text []byte, ok bool) {
	line, text, _ := bytes.Cut(rec, []byte{'\n'})
	if json.Unmarshal(line, &h) != nil || h.Version != robotsVersion {
		return h, nil, false
	}
	return h, text, h.Size == len(text) && h.Sum == crc32.ChecksumIEEE(text)
}

// load returns the copy in the store, nil if there is none that can be read.
func (c *robotsCopies) load(ctx context.Context, authority string) (*robotsCopy, error) {
	var rec []byte
	err := c.update(ctx, robotsKey(authority), func(_ time.Time, now []byte) ([]byte, time.Time) {
		rec = bytes.Clone(now)
		return nil, time.Time{}
	})
	if err != nil || rec == nil {
		return nil, err
	}
	h, body, ok := parseRecord(rec)
	if !ok {
		return nil, nil // damaged, or another version's: the file is asked for
	}
	at, err := url.Parse(authority + "/robots.txt")
	if err != nil {
		return nil, err
	}
	r := &robotsCopy{
		file: robots.FromStatus(h.Status, body), at: at, status: h.Status, etag: h.ETag, modified: h.Modified,
		asked: h.Asked, fresh: h.Fresh, size: copySize(len(body)),
	}
	r.file = r.file.For(at)
	r.group = r.file.Group(c.product)
	if r.file.Unreachable() || h.Asked.After(time.Now().Add(time.Minute)) {
		return nil, nil // no such copy is saved; or the clock was set back, and its age can't be told
	}
	return r, nil
}

// copySize is about what a compiled file of n bytes takes in memory.
func copySize(n int) int { return 7*n + 4096 }

// conditional returns the fields that ask whether a copy is still good; nil when it has no
// validator.
func (r *robotsCopy) conditional() http.Header {
	if r == nil {
		return nil
	}
	return conditional(http.Header{"Etag": {r.etag}, "Last-Modified": {r.modified}})
}
