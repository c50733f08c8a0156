package politefetch_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/politefetch"
)

// A server that floods its visitor with frames that bring no page is named for it, with the
// defaults of everything, and asked once.
func TestFloodsOfFramesAreNamed(t *testing.T) {
	for name, frame := range map[string]func(fr *http2.Framer, id uint32) error{
		"unknown":       func(fr *http2.Framer, _ uint32) error { return fr.WriteRawFrame(0xbe, 0, 0, nil) },
		"PING":          func(fr *http2.Framer, _ uint32) error { return fr.WritePing(false, [8]byte{}) },
		"SETTINGS":      func(fr *http2.Framer, _ uint32) error { return fr.WriteSettings() },
		"WINDOW_UPDATE": func(fr *http2.Framer, id uint32) error { return fr.WriteWindowUpdate(id, 1) },
		"empty DATA":    func(fr *http2.Framer, id uint32) error { return fr.WriteData(id, false, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var s wireServer
			s.http2Server(t, func(fr *http2.Framer, id uint32) bool {
				if name == "empty DATA" {
					writeStatus(fr, id, "200", false)
				}
				for frame(fr, id) == nil {
				}
				return false
			})
			p, err := s.bot(t, time.Millisecond).Fetch(t.Context(), "https://"+s.addr+"/", nil)
			require.ErrorIs(t, err, politefetch.ErrFlood)
			assert.Equal(t, politefetch.Failed, p.Outcome)
			_, pages := s.log()
			assert.Equal(t, 1, pages, "requests at the server")
			assert.Less(t, s.sent.Load(), int64(hostileSocket))
		})
	}
}

// A goodbye that asks for calm limits the host, whether it took the request or not.
func TestGoodbyeForCalmIsALimit(t *testing.T) {
	for name, before := range map[string]uint32{"not taken": 2, "taken": 0} {
		t.Run(name, func(t *testing.T) {
			var s wireServer
			s.http2Server(t, func(fr *http2.Framer, id uint32) bool {
				_ = fr.WriteGoAway(id-before, http2.ErrCodeEnhanceYourCalm, []byte("too_many"))
				return fr.WriteRSTStream(id, http2.ErrCodeCancel) == nil
			})
			began := time.Now()
			p, err := s.bot(t, time.Millisecond).Fetch(t.Context(), "https://"+s.addr+"/", nil)
			require.Error(t, err)
			assert.Equal(t, politefetch.Limited, p.Outcome)
			assert.Greater(t, p.Opens.Sub(began), time.Second, "when the host may be asked again")
			_, pages := s.log()
			assert.Equal(t, 1, pages, "requests at the server")
		})
	}
}
