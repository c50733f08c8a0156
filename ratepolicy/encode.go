package ratepolicy

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"time"
)

// A record is the version, the numbers of the pace, those of the trouble and its texts if
// there is any, and the turns in flight. All is little endian.
//
// Before numbers come their forms, 4 bits each: 0 for zero, n for n bytes, 8+n for n bytes
// of whole seconds. Instants are given from lastEnd on, so that most take few bytes.
const (
	recordVersion = 1
	paceForms     = 2       // bytes
	troubled      = 1 << 15 // in them: there is trouble
	troubleForms  = 7       // bytes: of 12 numbers, and where holdAsked came from
	inSeconds     = 8       // a form
	otherField    = 15      // a form: a text
	turnSize      = 16
)

// numbers are the instants of a trouble and its other numbers.
func (t *trouble) numbers() ([7]*int64, [5]*int64) {
	return [...]*int64{&t.hold, &t.ours, &t.backoff, &t.backedAt, &t.limitedAt, &t.gentleUntil, &t.walledAt},
		[...]*int64{&t.backoffs, &t.busyStatus, &t.hits, &t.holdAsked.status, &t.holdAsked.wait}
}

// knownFields are the header fields that asked.from is for all but the oddest callers.
func knownFields() []string {
	return []string{"", retryAfter, "RateLimit", "RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset"}
}

var (
	errDamaged = errors.New("damaged record")
	errNewer   = errors.New("record of a newer version")
)

// append appends the record of s.
func (s *state) append(b []byte) []byte {
	head, forms := len(b)+1, forms{}
	b = append(b, recordVersion, 0, 0)
	b = forms.append(b, s.lastEnd, 0)
	b = forms.append(b, s.drained, s.lastEnd)
	b = forms.append(b, s.crawl, 0)
	written := uint16(forms.bits) //nolint:gosec // of three
	if s.trouble != (trouble{}) {
		written |= troubled
		b = s.trouble.append(b, s.lastEnd)
	}
	binary.LittleEndian.PutUint16(b[head:], written)
	for i := range s.leases.n {
		t := s.leases.at(i)
		b = binary.LittleEndian.AppendUint64(b, t.id)
		b = binary.LittleEndian.AppendUint64(b, uint64(t.until)) //nolint:gosec // bits, not a number
	}
	return b
}

func (t *trouble) append(b []byte, base int64) []byte {
	head, forms := len(b), forms{}
	b = append(b, make([]byte, troubleForms)...)
	instants, others := t.numbers()
	for _, n := range instants {
		b = forms.append(b, *n, base)
	}
	for _, n := range others {
		b = forms.append(b, *n, 0)
	}
	from := slices.Index(knownFields(), t.holdAsked.from)
	if from < 0 {
		from = otherField
		b = appendText(b, t.holdAsked.from)
	}
	forms.add(from)
	for i := range troubleForms {
		b[head+i] = byte(forms.bits >> (8 * i)) //nolint:gosec // the lowest
	}
	if t.ours != 0 {
		b = appendText(b, t.oursWhy)
	}
	return b
}

// forms are those of the numbers that were written.
type forms struct {
	bits uint64
	n    int // so many
}

func (f *forms) add(form int) {
	f.bits |= uint64(form) << (4 * f.n) //nolint:gosec // < 16
	f.n++
}

// append appends an instant, given from base on, or with base 0 another number.
func (f *forms) append(b []byte, v, base int64) []byte {
	if v == 0 {
		f.n++
		return b
	}
	v -= base
	form := 0
	if q := v / int64(time.Second); q*int64(time.Second) == v {
		form, v = inSeconds, q
	}
	n := (bits.Len64(uint64(v^v>>63)) + 8) / 8         //nolint:gosec // with the sign 1 to 8; of seconds at most 5
	b = binary.LittleEndian.AppendUint64(b, uint64(v)) //nolint:gosec // bits
	f.add(form + n)
	return b[:len(b)-8+n]
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
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
	if len(rec) < 1+paceForms || rec[0] != recordVersion {
		return errDamaged
	}
	forms := binary.LittleEndian.Uint16(rec[1:])
	d := decoder{b: rec[1+paceForms:], forms: uint64(forms)}
	s.lastEnd = d.number(0)
	s.drained = d.number(s.lastEnd)
	s.crawl = d.number(0)
	if forms&troubled != 0 {
		d.trouble(&s.trouble, s.lastEnd)
	}
	if d.damaged || len(d.b)%turnSize != 0 || len(d.b)/turnSize > math.MaxUint16 {
		return errDamaged
	}
	for b := d.b; len(b) > 0; b = b[turnSize:] {
		until := int64(binary.LittleEndian.Uint64(b[8:])) //nolint:gosec // bits
		s.leases.add(turn{binary.LittleEndian.Uint64(b), until})
	}
	return nil
}

// A decoder reads what is left of a record.
type decoder struct {
	b       []byte
	forms   uint64
	damaged bool
}

func (d *decoder) number(base int64) int64 {
	form := int(d.forms & 15)
	if d.forms >>= 4; form == 0 {
		return 0
	}
	return d.written(form, base)
}

func (d *decoder) written(form int, base int64) int64 {
	unit := int64(1)
	if form > inSeconds {
		form, unit = form-inSeconds, int64(time.Second)
	}
	if form > len(d.b) {
		d.damaged = true
		return 0
	}
	var u uint64
	if len(d.b) >= 8 {
		u = binary.LittleEndian.Uint64(d.b)
	} else {
		for i, c := range d.b {
			u |= uint64(c) << (8 * i)
		}
	}
	d.b = d.b[form:]
	v := int64(u<<(64-8*form)) >> (64 - 8*form) //nolint:gosec // checked below
	if v > math.MaxInt64/unit || v < math.MinInt64/unit || v*unit+base < 0 {
		d.damaged = true
		return 0
	}
	return v*unit + base
}

func (d *decoder) text() string {
	n, w := binary.Uvarint(d.b)
	if w <= 0 || n > maxWhy || int(n) > len(d.b)-w {
		d.damaged = true
		return ""
	}
	s := string(d.b[w : w+int(n)])
	d.b = d.b[w+int(n):]
	return s
}

func (d *decoder) trouble(t *trouble, base int64) {
	if len(d.b) < troubleForms {
		d.damaged = true
		return
	}
	d.forms = 0
	for i := range troubleForms {
		d.forms |= uint64(d.b[i]) << (8 * i)
	}
	d.b = d.b[troubleForms:]
	instants, others := t.numbers()
	for _, n := range instants {
		*n = d.number(base)
	}
	for _, n := range others {
		*n = d.number(0)
	}
	switch from, known := d.forms&15, knownFields(); {
	case from == otherField:
		t.holdAsked.from = d.text()
	case from < uint64(len(known)):
		t.holdAsked.from = known[from]
	default:
		d.damaged = true
	}
	if t.ours != 0 {
		t.oursWhy = d.text()
	}
}
