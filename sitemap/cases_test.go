package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownCase is a case of testdata/cases.json. Its input is UTF-8 there; encoding and gzip
// say what is done to it before it is read.
type ownCase struct {
	vector
	Name, Input, Encoding, Gzip string
}

func (c ownCase) bytes(t *testing.T) []byte {
	t.Helper()
	b := []byte(c.Input)
	if c.Encoding != "" {
		b = b[:0]
		for _, r := range c.Input {
			b = encode(b, c.Encoding, r)
		}
	}
	switch c.Gzip {
	case "3":
		b = zip(t, b)
		fallthrough
	case "2":
		b = zip(t, b)
		fallthrough
	case "1":
		b = zip(t, b)
	case "members":
		b = append(zip(t, b[:20]), zip(t, b[20:])...)
	case "tail":
		b = append(zip(t, b), "\n"...)
	case "cut":
		b = zip(t, b)
		b = b[:len(b)-4]
	case "sum":
		b = zip(t, b)
		b[len(b)-5] ^= 1
	}
	return b
}

// encode appends a character below U+FFFF in a charset; of windows-1251 it knows the
// Russian lower-case letters.
func encode(b []byte, charset string, r rune) []byte {
	switch charset {
	case "utf-16-le":
		return append(b, byte(r), byte(r>>8))
	case "utf-16-be":
		return append(b, byte(r>>8), byte(r))
	case "cp1251":
		if r >= 'а' {
			return append(b, byte(r-'а'+0xe0))
		}
	}
	return append(b, byte(r))
}

func zip(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

func ownCases(t *testing.T) []ownCase {
	t.Helper()
	b, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var cases []ownCase
	require.NoError(t, json.Unmarshal(b, &cases))
	return cases
}

func TestOwnCases(t *testing.T) {
	cases := ownCases(t)
	assert.GreaterOrEqual(t, len(cases), 60)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.check(t, c.bytes(t), true) })
	}
}
