package ratepolicy

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"
)

// A record is what a file of a [Dir] says.
type record struct {
	key     string
	rec     []byte
	mark    mark
	expires int64 // by the record's clock
	none    bool  // there is no file
	damaged bool
}

// A file is, all numbers little endian: "pfd", version, CRC-32C of all but itself, the
// mark's four numbers and the expiry in 8 bytes each, the key's length (uvarint), key, rec.
// The first 8 bytes mean the same in every version.
const (
	fileMagic   = "pfd"
	fileVersion = 1
	headSize    = 8 + 5*8
	maxKey      = 1 << 20
	maxFile     = headSize + binary.MaxVarintLen64 + maxKey + maxRecord
)

// damagedRec stands for a record that was damaged; no state is encoded so.
func damagedRec() []byte { return []byte{0} }

// at returns the record as it is at now: nil once it has expired.
func (r *record) at(now int64) []byte {
	switch {
	case r.damaged:
		return damagedRec()
	case r.none || r.expires <= now:
		return nil
	case r.rec == nil:
		return []byte{}
	}
	return r.rec
}

// now is the record's clock.
func (r *record) now(at instant) int64 {
	if r.none || r.damaged {
		return at.wall
	}
	return r.mark.now(at)
}

// stale reports whether the record needs a new mark.
func (r *record) stale(at instant) bool {
	return !r.none && !r.damaged && r.mark.stale(at)
}

func (r *record) encode() []byte {
	b := make([]byte, 0, headSize+binary.MaxVarintLen64+len(r.key)+len(r.rec))
	b = append(b, fileMagic...)
	b = append(b, fileVersion, 0, 0, 0, 0)
	for _, n := range [...]uint64{
		uint64(r.mark.seen), uint64(r.mark.wall), uint64(r.mark.up), r.mark.boot, uint64(r.expires), //nolint:gosec // bits
	} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = binary.AppendUvarint(b, uint64(len(r.key)))
	b = append(b, r.key...)
	b = append(b, r.rec...)
	binary.LittleEndian.PutUint32(b[4:], checksum(b))
	return b
}

func checksum(b []byte) uint32 {
	t := crc32.MakeTable(crc32.Castagnoli) // made once
	return crc32.Update(crc32.Checksum(b[:4], t), t, b[8:])
}

// decodeRecord reads a file's content. Its error is errNewer.
func decodeRecord(b []byte) (record, error) {
	if len(b) < headSize || string(b[:3]) != fileMagic || binary.LittleEndian.Uint32(b[4:]) != checksum(b) {
		return record{damaged: true}, nil
	}
	if b[3] > fileVersion {
		return record{}, errNewer
	}
	r := decodeHead(b)
	b = b[headSize:]
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) { //nolint:gosec // w <= len(b)
		return record{damaged: true}, nil
	}
	r.key, r.rec = string(b[w:w+int(n)]), b[w+int(n):] //nolint:gosec // n <= len(b)
	return r, nil
}

// decodeHead reads the first headSize bytes, unchecked.
func decodeHead(b []byte) record {
	n := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8+8*i:])) } //nolint:gosec // bits
	return record{
		mark:    mark{n(0), instant{wall: n(1), up: n(2), boot: uint64(n(3))}}, //nolint:gosec // bits
		expires: n(4),
	}
}

// nanos is t in Unix nanoseconds, or the nearest that can be said.
func nanos(t time.Time) int64 {
	switch s := t.Unix(); {
	case s < 0:
		return 0
	case s >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	}
	return t.UnixNano()
}
