package sitemap_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/sitemap"
)

// stored is what a caller may write to its own tables.
type stored struct {
	Precision sitemap.Precision
	Kind      sitemap.Kind
	Flag      sitemap.Flag
}

func TestEnumsReadBackWhatTheyWrite(t *testing.T) {
	for i := range 7 {
		want := stored{sitemap.Precision(i), sitemap.Kind(i), sitemap.Flag(i % 3)}
		text, err := json.Marshal(want)
		require.NoError(t, err)
		got := stored{99, 99, 99}
		require.NoError(t, json.Unmarshal(text, &got), "%s", text)
		assert.Equal(t, want, got)
	}
}

func TestEnumsRefuseOtherText(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"Precision":"unknown"}`, `sitemap: unknown precision "unknown"`},
		{`{"Precision":""}`, `sitemap: unknown precision ""`},
		{`{"Kind":"URLSET"}`, `sitemap: unknown kind "URLSET"`},
		{`{"Flag":"unknown"}`, `sitemap: unknown flag "unknown"`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			got := stored{1, 1, 1}
			require.ErrorContains(t, json.Unmarshal([]byte(tt.in), &got), tt.want)
			assert.Equal(t, stored{1, 1, 1}, got)
		})
	}
}
