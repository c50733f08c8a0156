package sitemap

import "bytes"

// attributes calls f for each attribute of a tag, values with their entities decoded.
// Quotes may be missing, and so may values.
func attributes(b []byte, f func(name, value []byte)) {
	for {
		b = bytes.TrimLeft(b, " \t\r\n/")
		if len(b) == 0 {
			return
		}
		k := 0
		for k < len(b) && b[k] > ' ' && (b[k] != '=' || k == 0) {
			k++
		}
		name := b[:k]
		b = bytes.TrimLeft(b[k:], " \t\r\n")
		if len(b) == 0 || b[0] != '=' {
			f(name, nil)
			continue
		}
		b = bytes.TrimLeft(b[1:], " \t\r\n")
		var value []byte
		if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
			end := bytes.IndexByte(b[1:], b[0])
			if end < 0 {
				return
			}
			value, b = b[1:1+end], b[end+2:]
		} else {
			k = 0
			for k < len(b) && b[k] > ' ' {
				k++
			}
			value, b = b[:k], b[k:]
		}
		if bytes.IndexByte(value, '&') >= 0 {
			value, _, _ = unescape(nil, value, nil)
		}
		f(name, value)
	}
}
