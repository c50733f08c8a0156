package sitemap

import "bytes"

// attributes calls f for each attribute of a tag, values with their entities decoded.
// Quotes may be missing, and so may values.
func attributes(b []byte, f func(name, value []byte)) {
	for {
		b = skipBlanks(b, true)
		if len(b) == 0 {
			return
		}
		k := 0
		for k < len(b) && b[k] > ' ' && (b[k] != '=' || k == 0) {
			k++
		}
		name := b[:k]
		b = skipBlanks(b[k:], false)
		if len(b) == 0 || b[0] != '=' {
			f(name, nil)
			continue
		}
		b = skipBlanks(b[1:], false)
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

func skipBlanks(b []byte, slashes bool) []byte {
	for len(b) > 0 && (b[0] <= ' ' || slashes && b[0] == '/') {
		b = b[1:]
	}
	return b
}
