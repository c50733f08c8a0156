package botwall

import "bytes"

// cloudflareCode finds the code on an error page of Cloudflare: "Error code 1020",
// "Error 1020", "error code: 1020". With anywhere, a lone number will do. 0: no code.
func cloudflareCode(text []byte, anywhere bool) int {
	text = bytes.ToLower(text)
	for rest := text; ; {
		_, after, ok := bytes.Cut(rest, []byte("error"))
		if !ok {
			break
		}
		rest = after
		after = bytes.TrimPrefix(after, []byte(" code"))
		after = bytes.TrimLeft(after, ": ")
		if n := code(after); n != 0 {
			return n
		}
	}
	if !anywhere {
		return 0
	}
	for word := range bytes.FieldsSeq(text) {
		if len(word) == 4 {
			if n := code(word); n != 0 {
				return n
			}
		}
	}
	return 0
}

// hasAkamaiReference finds "Reference #18.2d351ab8.1557333295.a4e16ab": number, hex,
// number, hex.
func hasAkamaiReference(text []byte) bool {
	for rest := text; ; {
		_, after, ok := bytes.Cut(rest, []byte("Reference #"))
		if !ok {
			return false
		}
		rest = after
		parts := 0
		for _, is := range [...]func(byte) bool{isDigit, isHex, isDigit, isHex} {
			n := 0
			for n < len(after) && is(after[n]) {
				n++
			}
			if n == 0 {
				break
			}
			parts++
			after = bytes.TrimPrefix(after[n:], []byte("."))
		}
		if parts == 4 {
			return true
		}
	}
}
