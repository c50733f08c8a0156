package politefetch_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/politefetch/sdk/politefetch"
)

func TestHostileHeads(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	a1000, a64k := strings.Repeat("a", 1000), strings.Repeat("a", 64<<10)
	distinct := func(w io.Writer) {
		put(w, ok)
		for i := 0; ; {
			var b strings.Builder
			for range 1000 {
				fmt.Fprintf(&b, "%x:\r\n", i)
				i++
			}
			if !put(w, b.String()) {
				return
			}
		}
	}
	runHostile(t, []hostile{
		{name: "endless lines", f: flood(ok, "X-Pad: "+a1000+"\r\n"), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "endless distinct names", f: distinct, want: politefetch.ErrFlood, sent: hostileHead},
		{name: "one endless line", f: flood(ok+"X: ", a64k), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "endless status line", f: flood("HTTP/1.1 200 ", a64k), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "9 MiB Location", f: fixed("HTTP/1.1 302 F\r\nLocation: /" + strings.Repeat("a", 9<<20) + "\r\n\r\n"), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "flood of 103", f: flood("", strings.Repeat("HTTP/1.1 103 E\r\n\r\n", 1000)), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "flood of 100", f: flood("", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1000)), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "flood of 103 with fields", f: flood("", "HTTP/1.1 103 E\r\nLink: </"+a1000+">\r\n\r\n"), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "HTTP/0.9", f: fixed("<html>hi</html>"), want: politefetch.ErrMalformed},
		{name: "ICY", f: fixed("ICY 200 OK\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "SSH", f: fixed("SSH-2.0-OpenSSH_9.9\r\n"), want: politefetch.ErrMalformed},
		{name: "SMTP", f: fixed("220 mail.hostile.example ESMTP\r\n"), want: politefetch.ErrMalformed},
		{name: "TLS on the port of HTTP", f: fixed("\x15\x03\x01\x00\x02\x02\x46"), want: politefetch.ErrMalformed},
		{name: "zeros", f: flood("", strings.Repeat("\x00", 1000)), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "escapes for a terminal", f: fixed("\x1b[31mHTTP\x1b]0;owned\a \x7f\xff\r\n\r\n"), want: politefetch.ErrMalformed},
		{name: "escapes in a field's name", f: fixed(ok + "\x1b[2Jbad\r\n\r\n"), want: politefetch.ErrMalformed},
		{name: "leading CRLF", f: fixed("\r\n" + pageHead + "x"), want: politefetch.ErrMalformed},
		{name: "no colon", f: fixed(ok + "garbage\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "space before the colon", f: fixed(with("A : b") + "x"), body: "x"},
		{name: "no name", f: fixed(ok + ": b\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "NUL in a value", f: fixed(ok + "A: b\x00c\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "folded line", f: fixed(with("A: b\r\n c") + "x"), body: "x"},
		{name: "line feeds alone", f: fixed(strings.ReplaceAll(pageHead, "\r", "") + "x"), body: "x"},
		{name: "status 099", f: fixed("HTTP/1.1 099 X\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "status 1000", f: fixed("HTTP/1.1 1000 X\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "status abc", f: fixed("HTTP/1.1 abc X\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "status -20", f: fixed("HTTP/1.1 -20 X\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "status 998", f: fixed("HTTP/1.1 998 X\r\nContent-Type: text/plain\r\n\r\nx"), outcome: politefetch.Refused, status: 998, body: "x"},
		{name: "status 999, a known wall's", f: fixed("HTTP/1.1 999 X\r\n\r\nx"), outcome: politefetch.Walled, status: 999},
		{name: "HTTP/2.0 on HTTP/1", f: fixed("HTTP/2.0 200 OK\r\n\r\nx"), want: politefetch.ErrMalformed},
		{name: "101 unasked", f: fixed("HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello"), want: politefetch.ErrMalformed},
		{name: "two lengths", f: fixed(with("Content-Length: 5\r\nContent-Length: 6") + "hello!"), want: politefetch.ErrMalformed},
		{name: "the same length twice", f: fixed(with("Content-Length: 5\r\nContent-Length: 5") + "hello!"), body: "hello"},
		{name: "length banana", f: fixed(with("Content-Length: banana") + "hello"), want: politefetch.ErrMalformed},
		{name: "length -1", f: fixed(with("Content-Length: -1") + "hello"), want: politefetch.ErrMalformed},
		{name: "length beyond 64 bits", f: fixed(with("Content-Length: 99999999999999999999") + "hello"), want: politefetch.ErrMalformed},
		{name: "transfer coding gzip", f: fixed(with("Transfer-Encoding: gzip, chunked") + "5\r\nhello\r\n0\r\n\r\n"), want: politefetch.ErrMalformed},
		{name: "transfer coding unknown", f: fixed(with("Transfer-Encoding: banana") + "hello"), want: politefetch.ErrMalformed},
		{name: "closed without an answer", f: fixed(""), want: politefetch.ErrCut},
		{name: "closed within the head", f: fixed(ok + "A: "), want: politefetch.ErrCut},
		{name: "closed after the head", f: fixed(with("Content-Length: 5")), want: politefetch.ErrCut, status: 200, cut: true},
		{name: "no reason phrase", f: fixed(strings.Replace(pageHead, " OK", "", 1) + "x"), body: "x"},
		{name: "4,000 cookies", f: fixed(with(strings.TrimSuffix(strings.Repeat("Set-Cookie: a=\r\n", 4000), "\r\n")) + "x"), body: "x", sent: hostileHead},
		{name: "60 KiB of Content-Type", f: fixed("HTTP/1.1 200 OK\r\nContent-Type: text/html; a=" + strings.Repeat("b", 60<<10) + "\r\n\r\nx"), body: "x", sent: hostileHead},
	})
}

func TestHostileBodies(t *testing.T) {
	chunked, zipped := with("Transfer-Encoding: chunked"), with("Content-Encoding: gzip")
	hello, none := packed(t, "hello"), packed(t, "")
	x64k := strings.Repeat("x", 64<<10)
	stored := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + strings.Repeat("\x00\x00\x00\xff\xff", 100)
	runHostile(t, []hostile{
		{name: "endless", f: flood(pageHead, x64k), body: "*", cut: true},
		{name: "endless, of no known type", f: flood("HTTP/1.1 200 OK\r\nContent-Type: application/x-hostile\r\n\r\n", x64k), body: "*", cut: true},
		{name: "endless chunks", f: flood(chunked, "10000\r\n"+x64k+"\r\n"), body: "*", cut: true},
		{name: "endless chunks of a byte", f: flood(chunked, strings.Repeat("1\r\nx\r\n", 1000)), want: politefetch.ErrFlood, body: "+", cut: true},
		{name: "fat chunk extensions", f: flood(chunked, strings.Repeat("1;"+strings.Repeat("e", 1000)+"\r\nx\r\n", 64)), want: politefetch.ErrMalformed, body: strings.Repeat("x", 16), cut: true, sent: 128 << 10},
		{name: "length too long", f: fixed(with("Content-Length: 100") + "hello"), want: politefetch.ErrCut, body: "hello", cut: true},
		{name: "length too short", f: fixed(with("Content-Length: 5") + "hello, and what nobody asked for"), body: "hello"},
		{name: "length 9e18", f: fixed(with("Content-Length: 9223372036854775807") + "hello"), want: politefetch.ErrCut, body: "hello", cut: true},
		{name: "length and chunked", f: fixed(with("Content-Length: 3\r\nTransfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n"), body: "hello"},
		{name: "chunk size garbage", f: fixed(chunked + "5\r\nhello\r\nZZ\r\nhello\r\n0\r\n\r\n"), want: politefetch.ErrMalformed, body: "hello", cut: true},
		{name: "chunk size negative", f: fixed(chunked + "5\r\nhello\r\n-5\r\nhello\r\n0\r\n\r\n"), want: politefetch.ErrMalformed, body: "hello", cut: true},
		{name: "chunk size beyond 64 bits", f: fixed(chunked + "5\r\nhello\r\nfffffffffffffffff\r\nhello"), want: politefetch.ErrMalformed, body: "hello", cut: true},
		{name: "chunk size of 8 EiB", f: fixed(chunked + "5\r\nhello\r\n7fffffffffffffff\r\nhello"), want: politefetch.ErrCut, body: "hellohello", cut: true},
		{name: "chunk without CRLF", f: fixed(chunked + "5\r\nhelloXX0\r\n\r\n"), want: politefetch.ErrMalformed, body: "hello", cut: true},
		{name: "chunk lines with a line feed alone", f: fixed(chunked + "5\nhello\r\n0\n\r\n"), want: politefetch.ErrMalformed, cut: true},
		{name: "chunk line too long", f: fixed(chunked + "5\r\nhello\r\n5;" + strings.Repeat("e", 5000) + "\r\nhello\r\n0\r\n\r\n"), want: politefetch.ErrMalformed, body: "hello", cut: true},
		{name: "no last chunk", f: fixed(chunked + "5\r\nhello\r\n"), want: politefetch.ErrCut, body: "hello", cut: true},
		{name: "trailer bomb", f: flood(chunked+"5\r\nhello\r\n0\r\n", strings.Repeat("T: x\r\n", 1000)), want: politefetch.ErrMalformed, body: "hello", cut: true, sent: 64 << 10},
		{name: "gzip bomb", f: fixed(zipped + packed(t, strings.Repeat("\x00", 8<<20))), body: "*", cut: true, sent: 128 << 10},
		{name: "gzip of a gzip bomb, said once", f: fixed(zipped + packed(t, packed(t, strings.Repeat("\x00", 8<<20)))), body: packed(t, strings.Repeat("\x00", 8<<20))},
		{name: "gzip, empty members", f: flood(zipped, strings.Repeat(none, 1000)), want: politefetch.ErrFlood, cut: true},
		{name: "gzip, then empty members", f: flood(zipped+hello, strings.Repeat(none, 1000)), want: politefetch.ErrFlood, body: "hello", cut: true},
		{name: "gzip, empty blocks", f: flood(zipped+stored, strings.Repeat("\x00\x00\x00\xff\xff", 1000)), want: politefetch.ErrFlood, cut: true},
		{name: "gzip, an endless name", f: flood(zipped+"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff", strings.Repeat("n", 1000)), want: politefetch.ErrGzip, cut: true, sent: 64 << 10},
		{name: "gzip, then garbage", f: fixed(zipped + hello + "garbage"), body: "hello"},
		{name: "gzip, then zeros", f: fixed(zipped + hello + strings.Repeat("\x00", 600)), body: "hello"},
		{name: "gzip ends early", f: fixed(zipped + hello[:len(hello)-8]), want: politefetch.ErrGzip, body: "hello", cut: true},
		{name: "gzip ends in its header", f: fixed(zipped + hello[:4]), want: politefetch.ErrGzip, cut: true},
		{name: "gzip with a bad checksum", f: fixed(zipped + hello[:len(hello)-8] + "\x00\x00\x00\x00\x05\x00\x00\x00"), want: politefetch.ErrGzip, body: "hello", cut: true},
		{name: "gzip with bad blocks", f: fixed(zipped + hello[:10] + "\xff\xff\xff\xff"), want: politefetch.ErrGzip, cut: true},
		{name: "gzip cut by the transfer", f: fixed(with("Content-Encoding: gzip\r\nContent-Length: 1000") + hello), want: politefetch.ErrCut, body: "hello", cut: true},
		{name: "gzip said of a plain body", f: fixed(zipped + "<p>plain"), body: "<p>plain"},
		{name: "gzip not said", f: fixed(pageHead + hello), body: hello},
		{name: "gzip twice", f: fixed(with("Content-Encoding: gzip, gzip") + packed(t, hello)), want: politefetch.ErrEncoding, cut: true},
		{name: "gzip twice in two lines", f: fixed(with("Content-Encoding: gzip\r\nContent-Encoding: gzip") + packed(t, hello)), want: politefetch.ErrEncoding, cut: true},
		{name: "br unasked", f: flood(with("Content-Encoding: br"), x64k), want: politefetch.ErrEncoding, cut: true, sent: 64 << 10},
		{name: "zstd unasked", f: flood(with("Content-Encoding: zstd"), x64k), want: politefetch.ErrEncoding, cut: true, sent: 64 << 10},
		{name: "deflate unasked", f: flood(with("Content-Encoding: deflate"), x64k), want: politefetch.ErrEncoding, cut: true, sent: 64 << 10},
		{name: "endless coding names", f: fixed(with("Content-Encoding: "+strings.Repeat("gzip,", 12000)) + hello), want: politefetch.ErrEncoding, cut: true, sent: hostileHead},
		{name: "an error page without an end", f: flood("HTTP/1.1 500 X\r\nContent-Type: text/html\r\n\r\n", x64k), outcome: politefetch.Failed, status: 500, body: strings.Repeat("x", 256<<10), cut: true, sent: 512 << 10},
	})
}

// Slow ones, in fake time, to the instant.
func TestHostileSlowServers(t *testing.T) {
	long := pageHead + strings.Repeat("x", 64<<10)
	runHostile(t, []hostile{
		{name: "reads no request", deaf: true, want: context.DeadlineExceeded, took: 15 * time.Second},
		{name: "never answers", f: stall(""), want: context.DeadlineExceeded, took: 10 * time.Second},
		{name: "a byte, then nothing", f: stall("H"), want: context.DeadlineExceeded, took: 10 * time.Second},
		{name: "drips its head", f: drip("HTTP/1.1 200 OK\r\nX: ", "a", 101*time.Millisecond), want: context.DeadlineExceeded, took: 10 * time.Second},
		{name: "drips lines of its head", f: drip("HTTP/1.1 200 OK\r\n", "X: a\r\n", 99*time.Millisecond), want: context.DeadlineExceeded, took: 10 * time.Second},
		{name: "drips 103", f: drip("", "HTTP/1.1 103 E\r\n\r\n", 97*time.Millisecond), want: context.DeadlineExceeded, took: 10 * time.Second},
		{name: "drips its body", f: drip(pageHead, "x", 101*time.Millisecond), want: politefetch.ErrTooSlow, body: strings.Repeat("x", 49), cut: true, took: 5 * time.Second},
		{name: "drips chunks", f: drip(with("Transfer-Encoding: chunked"), "1\r\nx\r\n", 101*time.Millisecond), want: politefetch.ErrTooSlow, body: strings.Repeat("x", 49), cut: true, took: 5 * time.Second},
		{name: "drips empty gzip members", f: drip(with("Content-Encoding: gzip"), packed(t, ""), 101*time.Millisecond), want: politefetch.ErrTooSlow, cut: true, took: 5 * time.Second},
		{name: "no body after its head", f: stall(pageHead), want: politefetch.ErrTooSlow, cut: true, took: 5 * time.Second},
		{name: "stalls after a good start", f: stall(long), want: context.DeadlineExceeded, body: long[len(pageHead):], cut: true, took: 15 * time.Second},
		{name: "just fast enough, for ever", f: drip(pageHead, strings.Repeat("x", 2<<10), 1003*time.Millisecond), want: context.DeadlineExceeded, body: strings.Repeat("x", 28<<10), cut: true, took: 15 * time.Second},
		{name: "stalls after all its length", f: stall(with("Content-Length: 5") + "hello"), body: "hello"},
		{name: "stalls after the last chunk", f: stall(with("Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n"), want: politefetch.ErrTooSlow, body: "hello", cut: true, took: 5 * time.Second},
		{name: "drips an error page", f: drip("HTTP/1.1 500 X\r\nContent-Type: text/html\r\n\r\n", "x", 101*time.Millisecond), outcome: politefetch.Failed, status: 500, body: strings.Repeat("x", 19), cut: true, took: 2 * time.Second},
		{name: "drips what is no page", f: drip("HTTP/1.1 404 X\r\nContent-Type: image/png\r\n\r\n", "x", 101*time.Millisecond), status: 404, body: strings.Repeat("x", 19), cut: true, took: 2 * time.Second},
	})
}
