package ratetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// oddKeys are alike to some file system, collation, encoding or length limit.
func oddKeys() []string {
	long := strings.Repeat("long.", 819) // 4,095 bytes
	return []string{
		"", " ", "\x00", "\n", "a", "a ", " a", "A", "a.", ".a", "a\x00", "a\n", "a\t",
		"a/b", "a//b", "a/../b", "../a", "..", ".", "/", `a\b`, `\`, "a:b", "a*", "a?", "a%", "a%2Fb", "a_b", "a'b", `a"b`, "$a", "{a}", "{b}a",
		"ä", "a\u0308", "Ä", "ß", "ss", "İ", "ı", "日本", "\U0001F600", "\xff", "\xfe", "\xc3", "\u200b",
		"con", "nul", "a.tmp", "a.lock", "relay a", "robots.txt of https://a.example",
		long + "a", long + "b", long[:255], long[:256], long[:2048],
	}
}

// keysApart writes all odd keys at once, and then reads them.
func keysApart(ctx context.Context, p *probe) error {
	keys := oddKeys()
	rec := func(i int) []byte { return fmt.Appendf(nil, "record of %.20q, number %d", keys[i], i) }
	err := all(len(keys), func(i int) error {
		// Without the prefix, too: the empty key is one. That may be there from an earlier run.
		if keys[i] == "" {
			if err := put(ctx, p.handles[0], "", rec(i), 10*time.Minute); err != nil {
				return err
			}
		}
		return put(ctx, p.handles[i%len(p.handles)], p.prefix+keys[i], rec(i), hour)
	})
	if err != nil {
		return err
	}
	return all(len(keys), func(i int) error {
		what := fmt.Sprintf("key %.20q of %d bytes", keys[i], len(keys[i]))
		return errors.Join(
			expect(ctx, p.handles[(i+1)%len(p.handles)], p.prefix+keys[i], rec(i), what),
			expect(ctx, p.handles[0], keys[i]+"|"+p.prefix, nil, what+", that was never written"),
		)
	})
}

// all runs n checks, eight at a time.
func all(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < n; i += 8 {
				errs[i] = f(i)
			}
		})
	}
	wg.Wait()
	return cut(errors.Join(errs...))
}

// largeRecords grow to 1 MiB and shrink again.
func largeRecords(ctx context.Context, p *probe) error {
	key := p.key("large")
	write := func(s ratepolicy.Store, n int) error {
		rec := noise(n)
		if err := put(ctx, s, key, rec, hour); err != nil {
			return fmt.Errorf("%d bytes: %w", n, err)
		}
		return expect(ctx, p.handles[1], key, rec, "any bytes")
	}
	for i, n := range []int{1, 256, 1<<16 - 1, 1 << 16, 1 << 20, 300, 1 << 18, 1} {
		if err := write(p.handles[i%len(p.handles)], n); err != nil {
			return err
		}
	}
	return nil
}

// noise returns n bytes, all values among them.
func noise(n int) []byte {
	b, x := make([]byte, n), uint32(n)|1 //nolint:gosec // n is small
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x >> 11) //nolint:gosec // the low bits
	}
	return b
}
