package robots

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// MaxBytes is how much of a robots.txt file counts: 500 KiB, the least that RFC 9309,
// section 2.5, lets a crawler read and the most that Google reads. Hand [Parse] one byte
// more than that if there is more, so that it can tell a file that was cut.
const MaxBytes = 500 << 10

// decode turns a body into text. Beyond MaxBytes it drops the line that the limit falls
// into, for "Allow: /public/" cut short may read "Allow: /". A body that starts with a
// UTF-16 byte order mark is decoded; any other is taken byte by byte. A NUL ends a line, as
// in Google's library, and counts as one.
func decode(body []byte) (text string, cut bool) {
	cut = len(body) > MaxBytes
	whole := cut && (body[MaxBytes] == '\n' || body[MaxBytes] == '\r') // lines before the limit
	body = body[:min(len(body), MaxBytes)]
	if order := utf16Order(body); order != nil {
		text, whole = decodeUTF16(body, order), false
	} else {
		text = string(body)
	}
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\n")
	}
	if cut && !whole {
		text = text[:strings.LastIndexAny(text, "\r\n")+1]
	}
	return text, cut
}

func utf16Order(b []byte) binary.ByteOrder {
	switch {
	case len(b) < 2:
		return nil
	case b[0] == 0xFF && b[1] == 0xFE:
		return binary.LittleEndian
	case b[0] == 0xFE && b[1] == 0xFF:
		return binary.BigEndian
	}
	return nil
}

// decodeUTF16 leaves out the byte order mark and an odd last byte.
func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(b)/2)
	for b = b[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return string(utf16.Decode(units))
}

// bomLen is the length of the UTF-8 byte order mark at the start of text, or of the part
// of it that is there: the tokenizer passes over both.
func bomLen(text string) int {
	const bom = "\xEF\xBB\xBF"
	n := 0
	for n < len(bom) && n < len(text) && text[n] == bom[n] {
		n++
	}
	return n
}
