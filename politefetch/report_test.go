package politefetch_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/robots"
)

// Owners of bots keep Reports: Cadence works on them.
func TestAReportSurvivesJSON(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	for r := robots.ReasonNone; r <= robots.ReasonOtherAuthority; r++ {
		want := politefetch.Report{
			Site: site1, Began: at, Ended: at.Add(time.Minute), Outcome: politefetch.Disallowed, Why: "why", Limited: true,
			Robots: robots.Verdict{Reason: r, Line: 3, Rule: "/a"}, Admitted: map[string]string{"a": "b"}, Pages: 4,
		}
		text, err := json.Marshal(want)
		require.NoError(t, err)
		var got politefetch.Report
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Equal(t, want, got)
	}
	var r robots.Reason
	require.Error(t, r.UnmarshalText([]byte("nonsense")))
	for k := politefetch.NotAWall; k <= politefetch.Block; k++ {
		var got politefetch.WallKind
		require.NoError(t, got.UnmarshalText([]byte(k.String())))
		assert.Equal(t, k, got)
	}
	var k politefetch.WallKind
	require.Error(t, k.UnmarshalText([]byte("nonsense")))
}
