package page

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Majority returns what most of the lanes have.
func Majority(all [][4]uint64) [32]byte {
	var s simhash
	for _, x := range all {
		s.add(x)
		s.last = x
	}
	return s.majority()
}

// Simhash is that of a text all at once.
func Simhash(text string) [32]byte {
	var s simhash
	s.write([]byte(text), true)
	return s.majority()
}

// Keys are the names of the attributes that the lexer knows.
func Keys() (names []string) {
	for k := noKey + 1; k < keys; k++ {
		names = append(names, k.String())
	}
	return names
}

// Lex takes a page apart, and returns its tags and its texts, those in pieces put together.
// A comment is "!"; several in a row are one.
func Lex(r io.Reader) (tokens []string, size int, err error) {
	z := &lexer{r: r}
	var text strings.Builder
	for {
		kind := z.next()
		size += len(z.raw)
		if kind != textToken && text.Len() > 0 {
			tokens = append(tokens, "text "+text.String())
			text.Reset()
		}
		switch kind {
		case textToken:
			text.Write(z.text())
		case startToken:
			s := fmt.Sprintf("start %s %t", z.tags.name, z.tags.selfClosing)
			for k := noKey + 1; k < keys; k++ {
				if z.attr(k) {
					s += fmt.Sprintf(" %s=%q", k, z.value(k))
				}
			}
			tokens = append(tokens, s)
		case stopToken:
			tokens = append(tokens, "end "+string(z.tags.name))
		case commentToken:
			if len(tokens) == 0 || tokens[len(tokens)-1] != "!" {
				tokens = append(tokens, "!")
			}
		case endToken:
			err = z.failure()
			if errors.Is(err, io.EOF) {
				err = errors.New("the end is no failure")
			}
			return tokens, size, err
		}
	}
}
