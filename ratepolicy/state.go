package ratepolicy

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// state is all that is known of a key. Times are Unix nanoseconds by the store's
// clock, zero where there is none.
type state struct {
	lastEnd     int64 // when the last answer ended
	drained     int64 // when the token bucket is full again
	crawl       int64 // the Crawl-delay last heard, nanoseconds
	hold        int64 // the server's: until
	ours        int64 // the caller's hold: until
	backoff     int64 // the policy's own wait: until
	backoffs    int64 // such waits in a row
	busyStatus  int64 // the status behind backoff
	backedAt    int64 // when backoffs was last raised: requests granted before belong to the same event
	limitedAt   int64 // the same for rate limits, and hits
	gentleUntil int64
	hits        int64 // rate limits met in gentle mode
	walledAt    int64 // a wall on the direct route bars the relay

	holdWhy, oursWhy []byte // may alias the record it was decoded from

	leases []turn
}

type turn struct {
	id    uint64
	until int64
}

func (s *state) numbers() [13]*int64 {
	return [...]*int64{
		&s.lastEnd, &s.drained, &s.crawl, &s.hold, &s.ours, &s.backoff, &s.backoffs,
		&s.busyStatus, &s.backedAt, &s.limitedAt, &s.gentleUntil, &s.hits, &s.walledAt,
	}
}

// reset makes s the zero state and keeps what it has allocated.
func (s *state) reset() { *s = state{leases: s.leases[:0]} }

const recordVersion = 1

var (
	errDamaged = errors.New("damaged record")
	errNewer   = errors.New("record of a newer version")
)

// A record is: version, 16 bits that say which numbers are there, those numbers in 8
// bytes each, the two texts with their length, the leases. All little endian.
func (s *state) append(b []byte) []byte {
	b = append(b, recordVersion, 0, 0)
	at, mask := len(b)-2, uint16(0)
	for i, n := range s.numbers() {
		if *n != 0 {
			mask |= 1 << i
			b = binary.LittleEndian.AppendUint64(b, uint64(*n)) //nolint:gosec // bits, not a number
		}
	}
	for i, why := range [...][]byte{s.holdWhy, s.oursWhy} {
		if len(why) > 0 {
			mask |= 1 << (13 + i)
			b = binary.AppendUvarint(b, uint64(len(why)))
			b = append(b, why...)
		}
	}
	binary.LittleEndian.PutUint16(b[at:], mask)
	for _, t := range s.leases {
		b = binary.LittleEndian.AppendUint64(b, t.id)
		b = binary.LittleEndian.AppendUint64(b, uint64(t.until)) //nolint:gosec // bits, not a number
	}
	return b
}

// decode sets s to what the record says; an empty one is the zero state.
func (s *state) decode(rec []byte) error {
	s.reset()
	if len(rec) == 0 {
		return nil
	}
	if rec[0] > recordVersion {
		return errNewer
	}
	if len(rec) < 3 || rec[0] != recordVersion {
		return errDamaged
	}
	mask, b := binary.LittleEndian.Uint16(rec[1:]), rec[3:]
	for i, n := range s.numbers() {
		if mask&(1<<i) == 0 {
			continue
		}
		if len(b) < 8 {
			return errDamaged
		}
		*n, b = int64(binary.LittleEndian.Uint64(b)), b[8:] //nolint:gosec // checked below
		if *n < 0 {
			return errDamaged
		}
	}
	for i, why := range [...]*[]byte{&s.holdWhy, &s.oursWhy} {
		if mask&(1<<(13+i)) == 0 {
			continue
		}
		n, w := binary.Uvarint(b)
		if w <= 0 || n > maxWhy || int(n) > len(b)-w {
			return errDamaged
		}
		*why, b = b[w:w+int(n)], b[w+int(n):]
	}
	if len(b)%16 != 0 || len(b)/16 > math.MaxUint16 {
		return errDamaged
	}
	for ; len(b) > 0; b = b[16:] {
		until := int64(binary.LittleEndian.Uint64(b[8:])) //nolint:gosec // bits
		s.leases = append(s.leases, turn{binary.LittleEndian.Uint64(b), until})
	}
	return nil
}

// drop removes the lease and reports whether it was there.
func (s *state) drop(id uint64) bool {
	i := slices.IndexFunc(s.leases, func(t turn) bool { return t.id == id })
	if i < 0 {
		return false
	}
	s.leases = slices.Delete(s.leases, i, i+1)
	return true
}
