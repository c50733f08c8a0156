package botwall_test

import (
	"net/http"
	"testing"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/conformance"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer is one row: an answer and what it is.
type answer struct {
	Name     string
	Status   int
	Headers  map[string]string
	Body     string
	Expected string
	Vendor   string
}

func (a *answer) header() http.Header {
	h := http.Header{}
	for k, v := range a.Headers {
		h.Set(k, v)
	}
	return h
}

func TestConformance(t *testing.T) {
	var rows []answer
	conformance.ReadJSON(t, "botwall/vectors.json", &rows)
	require.NotEmpty(t, rows)
	for _, tt := range rows {
		t.Run(tt.Name, func(t *testing.T) {
			got := botwall.Detect(tt.Status, tt.header(), []byte(tt.Body))
			want, vendor := tt.Expected, tt.Vendor
			if want == "ratelimit" {
				want, vendor = "none", ""
			}
			assert.Equal(t, want, got.Kind.String(), "%+v", got)
			assert.Equal(t, vendor, got.Vendor)
			assert.Equal(t, got.Kind != botwall.NotAWall, got.Marker != "", "a wall names its marker: %+v", got)
			if early := botwall.FromHeader(tt.Status, tt.header()); early.Kind != botwall.NotAWall {
				assert.Equal(t, got, early, "the header's word is the last")
			}
		})
	}
}
