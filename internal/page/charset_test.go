package page_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/charset"
)

func utf16(s string, big bool) string {
	var b strings.Builder
	for _, r := range s {
		hi, lo := byte(r>>8), byte(r)
		if !big {
			hi, lo = lo, hi
		}
		b.WriteByte(hi)
		b.WriteByte(lo)
	}
	return b.String()
}

func TestCharsets(t *testing.T) {
	ascii := strings.Repeat("<!-- far -->", 200) // more than the 1,024 bytes that are searched
	const latin, utf8 = "<title>Caf\xe9 \x80</title>", "<title>Café €</title>"
	for _, tt := range []struct{ name, contentType, body, want string }{
		{"header", "text/html; charset=UTF-8", utf8, "Café €"},
		{"header, Latin 1 is windows-1252", "text/html; charset=iso-8859-1", latin, "Café €"},
		{"header, quoted", `text/html; charset="windows-1252"`, latin, "Café €"},
		{"header before meta", "text/html; charset=windows-1252", "<meta charset=utf-8>" + latin, "Café €"},
		{"mark before header", "text/html; charset=windows-1252", "\xef\xbb\xbf" + utf8, "Café €"},
		{"UTF-16, little", "text/html; charset=utf-8", "\xff\xfe" + utf16(utf8, false), "Café €"},
		{"UTF-16, big", "", "\xfe\xff" + utf16(utf8, true), "Café €"},
		{"UTF-16 by header", "text/html; charset=utf-16le", utf16(utf8, false), "Café €"},
		{"meta", "text/html", "<meta charset=iso-8859-15><title>\xa4</title>", "€"},
		{"meta http-equiv", "", `<meta http-equiv=content-type content="text/html; charset=koi8-r"><title>` + "\xf2\xf5\xf3</title>", "РУС"},
		{"meta, declared windows-1252", "", "<meta charset=windows-1252><title>Ã©</title>", "ÃƒÂ©"},
		{"meta says UTF-16, which it can't be", "", "<meta charset=utf-16>" + utf8, "Café €"},
		{"meta in a comment", "", "<!-- <meta charset=koi8-r> -->" + utf8, "Café €"},
		{"Japanese", "text/html; charset=shift_jis", "<title>\x93\xfa\x96\x7b</title>", "日本"},
		{"Chinese", "text/html; charset=gb2312", "<title>\xd6\xd0</title>", "中"},
		{"undeclared UTF-8", "text/html", utf8, "Café €"},
		{"undeclared windows-1252", "text/html", latin, "Café €"},
		{"undeclared UTF-8, late", "text/html", ascii + utf8, "Café €"},
		{"undeclared windows-1252, late", "text/html", ascii + latin, "Café €"},
		{"unknown in the header", "text/html; charset=klingon", utf8, "Café €"},
		{"unknown in both", "text/html; charset=klingon", "<meta charset=x>" + ascii + latin, "Café €"},
		{"UTF-7 is unknown", "text/html; charset=utf-7", "<title>+ADw-</title>", "+ADw-"},
		{"broken parameter", "text/html; charset", utf8, "Café €"},
		{"broken parameter beside", "text/html; =; charset=koi8-r; x", "<title>\xf2</title>", "Р"},
		{"twice", "text/html; charset=koi8-r; charset=utf-8", "<title>\xf2</title>", "Р"},
		{"twice, in two types", "text/html; charset=utf-8, text/html; Charset=\"koi8-r\"", "<title>\xf2</title>", "Р"},
		{"two types, one charset", "text/html; charset=koi8-r, text/html", "<title>\xf2</title>", "Р"},
		{"no parameter", "charset=koi8-r", "<title>é</title>", "é"},
		{"in another's quotes", `text/html; x="; charset=koi8-r; y"`, "<title>é</title>", "é"},
		{"a blank before =", "text/html; charset =koi8-r", "<title>é</title>", "é"},
		{"user-defined by meta", "", "<meta charset=x-user-defined><title>\x80</title>", "€"},
		{"user-defined by header", "text/html; charset=x-user-defined", "<title>\x80</title>", "\uF780"},
		{"wrong: not UTF-8", "text/html; charset=utf-8", "<title>Caf\xe9</title>", "Caf\uFFFD"},
		{"dangerous", "text/html; charset=iso-2022-kr", "<title>x</title>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := &page.Options{Header: http.Header{"Content-Type": {tt.contentType}}}
			f, err := page.Scan(strings.NewReader(tt.body), o)
			require.NoError(t, err)
			assert.Equal(t, tt.want, f.Title)
			assert.Equal(t, int64(len(tt.body)), f.Bytes)
			slow, err := page.Scan(iotest.OneByteReader(strings.NewReader(tt.body)), o)
			require.NoError(t, err)
			assert.Equal(t, f, slow, "however it arrives")
		})
	}
}

// TestCharsetDoesNotChangeTheDigest reads one text in four character sets.
func TestCharsetDoesNotChangeTheDigest(t *testing.T) {
	want := scan(t, "<p>Café</p>").Digest
	for contentType, body := range map[string]string{
		"text/html; charset=iso-8859-1": "<p>Caf\xe9</p>",
		"text/html; charset=utf-16be":   utf16("<p>Café</p>", true),
		"text/html; charset=macintosh":  "<p>Caf\x8e</p>",
	} {
		f, err := page.Scan(strings.NewReader(body), &page.Options{Header: http.Header{"Content-Type": {contentType}}})
		require.NoError(t, err)
		assert.Equal(t, want, f.Digest, contentType)
	}
}

// labels are those of the Encoding Standard (section 4.2), one or more for each encoding.
var labels = strings.Fields(`unicode-1-1-utf-8 utf-8 utf8 x-unicode20utf8 866 cp866 ibm866 csisolatin2 iso-8859-2 l2 latin3 iso_8859-4 cyrillic
	iso-8859-5 arabic asmo-708 iso-8859-6-e greek8 sun_eu_greek iso-8859-8 visual logical iso-8859-8-i l6 iso-8859-10
	iso-8859-13 iso-8859-14 iso-8859-15 l9 iso-8859-16 koi8-r koi koi8-u koi8-ru macintosh x-mac-roman windows-874
	tis-620 cp1250 x-cp1251 windows-1251 ascii us-ascii latin1 iso-8859-1 windows-1252 cp1253 windows-1254 latin5
	iso-8859-9 windows-1255 cp1256 windows-1257 x-cp1258 x-mac-cyrillic x-mac-ukrainian gb2312 gbk chinese x-gbk
	gb18030 big5 big5-hkscs cn-big5 euc-jp x-euc-jp csiso2022jp iso-2022-jp shift_jis sjis ms_kanji windows-31j euc-kr
	korean ks_c_5601-1987 windows-949 hz-gb-2312 iso-2022-kr iso-2022-cn csiso2022kr utf-16be unicodefffe utf-16 utf-16le
	unicode ucs-2 iso-10646-ucs-2 x-user-defined`)

// TestCharsetsAgainstTheLibrary decodes random bytes by every label, in the header and in
// the page, and compares with what golang.org/x/net/html/charset makes of them.
func TestCharsetsAgainstTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, label := range labels {
		for _, where := range []string{"header", "meta", "http-equiv"} {
			for range 20 {
				junk := make([]byte, 1+r.IntN(40))
				for i := range junk {
					if junk[i] = byte(0x20 + r.IntN(0xe0)); junk[i] == '<' || junk[i] == '&' {
						junk[i] = 'x'
					}
				}
				contentType, body := "text/html", "<p>"+string(junk)+"<p>"
				switch where {
				case "header":
					contentType += "; charset=" + strings.ToUpper(label)
				case "meta":
					body = "<meta charset=" + label + ">" + body
				case "http-equiv":
					body = `<meta content="text/html; charset='` + label + `'" http-equiv=Content-Type>` + body
				}
				if where != "header" && label == "x-user-defined" {
					continue // the library has no such rule
				}
				decoded, err := charset.NewReader(strings.NewReader(body), contentType)
				require.NoError(t, err)
				want, err := page.Scan(decoded, at("https://site.test/"))
				require.NoError(t, err)
				got, err := page.Scan(strings.NewReader(body), &page.Options{Header: http.Header{"Content-Type": {contentType}}})
				require.NoError(t, err)
				require.Equal(t, want.Digest, got.Digest, "%s by %s: %q", label, where, junk)
				require.Equal(t, want.Text, got.Text)
			}
		}
	}
}

// TestOtherLabelsAreUnknown: none of these is a label of the Encoding Standard.
func TestOtherLabelsAreUnknown(t *testing.T) {
	want := scan(t, "<p>é</p>").Digest
	for label := range strings.FieldsSeq("utf-7 x-utf-7 utf-32 utf-32le ucs-4 cesu-8 scsu bocu-1 ebcdic-cp-us ibm037 cp437 iso-8859-12 utf-8-sig utf_8 binary none") {
		for contentType, body := range map[string]string{
			"text/html; charset=" + label: "<p>é</p>",
			"text/html":                   "<meta charset=" + label + "><p>é</p>",
		} {
			got, err := page.Scan(strings.NewReader(body), &page.Options{Header: http.Header{"Content-Type": {contentType}}})
			require.NoError(t, err)
			assert.Equal(t, want, got.Digest, "%s %s", contentType, body)
		}
	}
}
