package politefetch

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"

	"github.com/politefetch/sdk/internal/page"
)

// A Fingerprint stands for what an answer says. Two HTML pages with the same visible text
// have the same one, whatever their markup, and [Fingerprint.Similarity] tells how much two
// others have in common. It is text of at most 66 bytes, to be stored and compared as it is;
// "" is no fingerprint. Nothing of the page can be read from it. It is made of the body
// alone, its content coding undone: header fields such as ETag and Last-Modified are not in
// it.
//
// Visible text is what a browser that runs scripts would show of the page as it came, with
// white space collapsed and in any character set: not scripts, styles, comments, the title,
// the texts of attributes, nor what is in noscript, template, iframe and elements with the
// attribute hidden or the style display:none.
//
// Of other text (text/…, JSON, XML, feeds, YAML, JavaScript) all of it counts, with white space
// collapsed and in any character set; where only some of it is the same, ASCII punctuation
// sets words apart as blanks do. Of everything else, such as PDF and images, it is that of the
// bytes: two are the same or have nothing in common.
//
// Of a page that is [Page].Truncated at Config.MaxBody it is that of what was read: what
// comes after is not known to be the same, and another MaxBody makes another fingerprint. Of
// bytes that broke off before, there is none.
//
// It has a version in front. "3:" is that of text: then in base64 (RFC 4648 section 5, no
// padding) come the first 16 bytes of a SHA-256 of the text and 32 bytes of a simhash.
// "sha-256:" is that of bytes: then comes their SHA-256, in base64 too. A later version of this
// module may make others; those of different versions are never equal.
type Fingerprint string

// A Fingerprint's parts.
const (
	fingerprintVersion = "3:"
	bytesVersion       = "sha-256:"
	digestBytes        = 16
	simhashBytes       = 32
)

// Similarity returns how much of what a page says it said earlier, too: 1 if its text is
// the same, 0 if nothing of it is, and else about the share of each three words on end that
// it has in common with the earlier page (the cosine of their counts). It is an estimate,
// good to about 0.02 near 1 and to 0.1 near 0. Of the pages of a large documentation, 95 of
// 100 with one paragraph exchanged score above 0.92, and 95 of 100 pairs of different pages
// below 0.31. Bytes are the same, 1, or not, 0; and so is what was text and is none any more.
//
// The result is not ok, and 0, if one of the two is none, is damaged, or was made by
// another version.
func (f Fingerprint) Similarity(earlier Fingerprint) (score float64, ok bool) {
	if f.isBytes() || earlier.isBytes() {
		switch {
		case !f.valid() || !earlier.valid():
			return 0, false
		case f == earlier:
			return 1, true
		}
		return 0, true
	}
	a, ok := f.parse()
	if !ok {
		return 0, false
	}
	b, ok := earlier.parse()
	if !ok {
		return 0, false
	}
	if [digestBytes]byte(a[:]) == [digestBytes]byte(b[:]) {
		return 1, true
	}
	differ := 0
	for i := digestBytes; i < len(a); i += 8 {
		differ += bits.OnesCount64(binary.BigEndian.Uint64(a[i:]) ^ binary.BigEndian.Uint64(b[i:]))
	}
	// The share of bits that differ is the angle between the texts over half a turn. Only
	// the same text is 1: where all bits agree but the text doesn't, half a bit differs.
	angle := math.Pi * max(float64(differ), 0.5) / (8 * simhashBytes)
	return max(0, math.Cos(angle)), true
}

func (f Fingerprint) parse() (parts [digestBytes + simhashBytes]byte, ok bool) {
	text, ok := strings.CutPrefix(string(f), fingerprintVersion)
	if !ok || len(text) != base64.RawURLEncoding.EncodedLen(len(parts)) {
		return parts, false
	}
	n, err := base64.RawURLEncoding.Decode(parts[:], []byte(text))
	return parts, err == nil && n == len(parts)
}

// isBytes reports whether f says that it is the fingerprint of bytes.
func (f Fingerprint) isBytes() bool { return strings.HasPrefix(string(f), bytesVersion) }

func (f Fingerprint) valid() bool {
	if !f.isBytes() {
		_, ok := f.parse()
		return ok
	}
	sum, err := base64.RawURLEncoding.Strict().DecodeString(string(f[len(bytesVersion):]))
	return err == nil && len(sum) == sha256.Size
}

// bytesFingerprint is that of bytes which were read to their end, or to the limit.
func bytesFingerprint(f *page.Facts) Fingerprint {
	if f.Cut {
		return ""
	}
	return Fingerprint(bytesVersion + base64.RawURLEncoding.EncodeToString(f.Digest[:]))
}

func fingerprintOf(f *page.Facts) Fingerprint {
	var parts [digestBytes + simhashBytes]byte
	copy(parts[:digestBytes], f.Digest[:])
	copy(parts[digestBytes:], f.Simhash[:])
	var text [len(fingerprintVersion) + (digestBytes+simhashBytes)/3*4]byte
	return Fingerprint(base64.RawURLEncoding.AppendEncode(append(text[:0], fingerprintVersion...), parts[:]))
}
