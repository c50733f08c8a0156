package page_test

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSimhashIsStable holds the values that are stored: they may change only together with
// the version of the fingerprint.
func TestSimhashIsStable(t *testing.T) {
	for text, want := range map[string]string{
		"":     strings.Repeat("0", 64),
		"word": "de7d8d928686ddd5d0e937424710b940e0d209ede6b0efb6fd16e12a7c36e564",
		"The quick brown fox jumps over the lazy dog, and so do five boxing wizards.": "225cf84bf8ceec0787a5b205355c48af0cb4c2c3281fff3ebadb6f12525f7a30",
		"吾輩は猫である。名前はまだ無い。":                                                            "c6daead46b97668e4bd914fea55278af856c0e2b6efe54c33309c590dd2123b4",
	} {
		got := scan(t, text).Simhash
		assert.Equal(t, want, hex.EncodeToString(got[:]), text)
	}
}

// TestMajority counts the plain way as well.
func TestMajority(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		all := make([][4]uint64, n)
		for i := range all {
			all[i] = [4]uint64{r.Uint64(), r.Uint64() & r.Uint64(), r.Uint64() | r.Uint64(), ^uint64(0) >> n}
		}
		var want [32]byte
		for bit := range 256 {
			set := func(x [4]uint64) bool { return x[bit/64]>>(63-bit%64)&1 == 1 }
			twice := 0
			for _, x := range all {
				if set(x) {
					twice += 2
				}
			}
			tie := func() bool {
				turned := all[n-1]
				turned[bit/64] = bits.RotateLeft64(turned[bit/64], 1)
				return set(all[0]) != set(turned)
			}
			if twice > n || n > 0 && twice == n && tie() {
				want[bit/8] |= 0x80 >> (bit % 8)
			}
		}
		require.Equal(t, want, page.Majority(all), "of %d", n)
	}
}

// distance is how many bits differ.
func distance(a, b [32]byte) (n int) {
	for i := range a {
		n += bits.OnesCount8(a[i] ^ b[i])
	}
	return n
}

// TestSimhashIsTheAngle compares texts of which a known share is the same. With all words
// different, the cosine of the angle is that share.
func TestSimhashIsTheAngle(t *testing.T) {
	text := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "w%d ", i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		same     int // words of 1,000 that both texts have
		min, max int // bits that differ: the angle, give or take three standard deviations
	}{
		{1000, 0, 0}, {990, 3, 20}, {900, 22, 52}, {500, 62, 109}, {0, 104, 152},
	} {
		a := scan(t, text(0, 1000)).Simhash
		b := scan(t, text(0, tt.same)+text(5000, 6000-tt.same)).Simhash
		got := distance(a, b)
		assert.True(t, tt.min <= got && got <= tt.max, "%d words the same: %d bits differ", tt.same, got)
	}
}

func TestSimhashOfScriptsWithoutBlanks(t *testing.T) {
	text := "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。" +
		"何でも薄暗いじめじめした所でニャーニャー泣いて居た事丈は記憶して居る。"
	a, b := scan(t, text).Simhash, scan(t, strings.Replace(text, "猫", "犬", 1)).Simhash
	assert.NotEqual(t, a, b)
	assert.Less(t, distance(a, b), 50, "three of 67 threes changed")
	require.Greater(t, distance(a, scan(t, "私はその人を常に先生と呼んでいた。だからここでもただ先生と書くだけで本名は打ち明けない。").Simhash), 90)
}

// TestSimhashOfLongWords: where a long word is cut doesn't depend on the markup within.
func TestSimhashOfLongWords(t *testing.T) {
	for _, n := range []int{1022, 1023, 1024, 1025, 2048, 5000} {
		word := strings.Repeat("xé", n/2)
		want := scan(t, "a "+word+" b").Simhash
		for _, cut := range []int{1, 511, 1023, 1024, 1025} {
			r := []rune(word)
			k := min(cut, len(r))
			assert.Equal(t, want, scan(t, "a "+string(r[:k])+"<b>"+string(r[k:])+"</b> b").Simhash, "%d bytes, cut at %d", n, cut)
		}
	}
}

// TestSimhashInPieces moves words and characters over the places where a text is cut.
func TestSimhashInPieces(t *testing.T) {
	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "w%d — “q%d” 吾輩%dは naïve ", i, i, i)
	}
	for i := range 100 {
		text := strings.Repeat("x", i) + " " + long.String() + "end"
		text = strings.TrimSpace(text)
		require.Equal(t, page.Simhash(text), scan(t, text).Simhash, "%d before", i)
	}
}

// TestLastWordOfAFew changes the last of very few words.
func TestLastWordOfAFew(t *testing.T) {
	for _, tt := range [][2]string{
		{"up", "down"},
		{"hello world", "hello there"},
		{"one two three", "one two four"},
		{"one two three four", "one two three five"},
		{"one two three four five", "one two three four six"},
		{"one two three four five six", "one two three four five seven"},
	} {
		a, b := scan(t, tt[0]).Simhash, scan(t, tt[1]).Simhash
		assert.Greater(t, distance(a, b), 37, "alike by less than 0.9: %q, %q", tt[0], tt[1]) // cos(pi*37/256)
		a, b = scan(t, "zero "+tt[0]).Simhash, scan(t, "no "+tt[0]).Simhash
		assert.Greater(t, distance(a, b), 37, "the first: %q", tt[0])
	}
}
