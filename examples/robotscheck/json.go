package main

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
)

// writeJSON prints v for a program, in ASCII: what is escaped steers no terminal.
func writeJSON(out io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	ascii := make([]byte, 0, len(b)+1)
	for _, c := range string(b) { // the encoder has replaced what isn't UTF-8
		switch {
		case c < 0x7f:
			ascii = append(ascii, byte(c))
		case c <= 0xffff:
			ascii = fmt.Appendf(ascii, `\u%04x`, c)
		default:
			high, low := utf16.EncodeRune(c)
			ascii = fmt.Appendf(ascii, `\u%04x\u%04x`, high, low)
		}
	}
	_, err = out.Write(append(ascii, '\n'))
	return err
}
