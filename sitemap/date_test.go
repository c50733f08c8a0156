package sitemap_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/politefetch/sdk/sitemap"
)

func TestDates(t *testing.T) {
	for raw, want := range map[string]string{
		"1997": "1997-01-01T00:00:00Z year", "1997-07": "1997-07-01T00:00:00Z month", "1997-07-16": "1997-07-16T00:00:00Z day",
		"1997-07-16T19:20+01:00": "1997-07-16T18:20:00Z minute", "1997-07-16T19:20:30-01:00": "1997-07-16T20:20:30Z second",
		"1997-07-16T19:20:30.45Z": "1997-07-16T19:20:30.45Z fraction", "2017.1.3": "2017-01-03T00:00:00Z day",
		"3.1.2017": "2017-01-03T00:00:00Z day", "2020-01-01+02:00": "2020-01-01T00:00:00Z day", "20140603": "2014-06-03T00:00:00Z day",
		"20140603T103045Z": "2014-06-03T10:30:45Z second", "1588723200": "2020-05-06T00:00:00Z second",
		"2024-05-08 12:30:00 AM": "2024-05-08T00:30:00Z second", "2020-01-01T24:00:00Z": "2020-01-02T00:00:00Z second",
		"Thu, 05 Jan 17 07:00:00 EDT": "2017-01-05T11:00:00Z second", "5 Jan 2017 07:00:00 EST": "2017-01-05T12:00:00Z second",
		"5 Jan 2017 07:00:00 PST": "2017-01-05T15:00:00Z second", "5 Jan 2017 07:00:00 MDT": "2017-01-05T13:00:00Z second",
		"5 Jan 2017 07:00:00 MST": "2017-01-05T14:00:00Z second", "Thursday, 05-Jan-70 07:00:00 GMT": "1970-01-05T07:00:00Z second",
		"Thu Jan  5 12:34:55 UTC 2017": "2017-01-05T12:34:55Z second", "Sept 5, 2017": "2017-09-05T00:00:00Z day",
	} {
		at, precision, ok := sitemap.ParseDate(raw)
		assert.True(t, ok, raw)
		assert.Equal(t, want, at.Format(time.RFC3339Nano)+" "+precision.String(), raw)
	}
	for _, raw := range []string{
		"", "now", "0000-00-00", "0001-01-01T00:00:00Z", "2023-02-29", "2021-13-01", "01/02/2003", "2024-01-01T25:00:00Z",
		"2024-01-01T10:60:00Z", "Thursday, January 5", "5 Jan 2017 07:00:00 XYZ", "99999", "2024-01-01T10:00:00+15:00",
	} {
		at, _, ok := sitemap.ParseDate(raw)
		assert.False(t, ok, "%q: %v", raw, at)
	}
}
