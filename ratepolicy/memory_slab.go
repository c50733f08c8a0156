package ratepolicy

import "encoding/binary"

// A slot holds a record, without pointers: when it expires in 8 bytes, the name in 12, in
// one how many bytes at the end are not used, the record.
type slot []byte

const (
	slotHead  = 8 + 12 + 1
	slotUnit  = 8
	leastSlot = 64 // a cache line; a key without trouble fits
	maxSlot   = 256
	elsewhere = 255 // unused: the record is too large
)

func (s slot) expires() int64 { return int64(binary.LittleEndian.Uint64(s)) } //nolint:gosec // bits
func (s slot) name() name {
	return name{binary.LittleEndian.Uint64(s[8:]), binary.LittleEndian.Uint32(s[16:])}
}
func (s slot) elsewhere() bool { return s[slotHead-1] == elsewhere }
func (s slot) rec() []byte     { return s[slotHead : len(s)-int(s[slotHead-1])] }

// put fills the slot and reports whether there was room for rec, which may be part of
// what is there.
func (s slot) put(k name, rec []byte, expires int64) bool {
	unused, fits := len(s)-slotHead-len(rec), slotHead+len(rec) <= len(s)
	if fits {
		copy(s[slotHead:], rec)
	} else {
		unused = elsewhere
	}
	binary.LittleEndian.PutUint64(s, uint64(expires)) //nolint:gosec // bits
	binary.LittleEndian.PutUint64(s[8:], k.hash)
	binary.LittleEndian.PutUint32(s[16:], k.tag)
	s[slotHead-1] = byte(unused)
	return fits
}

// A slotSize is one of the sizes of slots, from 0 on.
type slotSize uint32

const slotSizes = (maxSlot-leastSlot)/slotUnit + 1

// sizeFor is the least size for a record of n bytes. One that fits none needs only a head.
func sizeFor(n int) slotSize {
	if n += slotHead; n <= leastSlot || n > maxSlot {
		return 0
	}
	return slotSize((n - leastSlot + slotUnit - 1) / slotUnit)
}

func (z slotSize) bytes() uint32 { return leastSlot + uint32(z)*slotUnit }

// A ref says where a slot is: its size in 5 bits, its chunk in 17, and in 10 its place
// there in units, from 1 on. 0 is none.
type ref uint32

const (
	placeBits = 10
	chunkBits = 17
	chunkSize = slotUnit << placeBits
)

func newRef(z slotSize, chunk int, at uint32) ref {
	return ref(z)<<(chunkBits+placeBits) | ref(chunk)<<placeBits | ref(at/slotUnit+1) //nolint:gosec // 17 bits are 1 GiB
}

func (r ref) size() slotSize { return slotSize(r >> (chunkBits + placeBits)) }
func (r ref) chunk() int     { return int(r >> placeBits & (1<<chunkBits - 1)) }
func (r ref) at() uint32     { return uint32(r&(1<<placeBits-1)-1) * slotUnit }

// A slab is slots of one size, in chunks, without holes.
type slab struct {
	chunks []*chunk
	last   ref
}

// A chunk has room for slots of any size.
type chunk [chunkSize]byte

func (b *slab) slot(r ref) slot {
	at := r.at()
	return b.chunks[r.chunk()][at : at+r.size().bytes()]
}

// add returns a new slot, the last one from now on. It takes the spare chunk before it
// makes one.
func (b *slab) add(z slotSize, spare **chunk) ref {
	n, at := 0, uint32(0)
	if b.last != 0 {
		n, at = b.last.chunk(), b.last.at()+z.bytes()
		if at+z.bytes() > chunkSize {
			n, at = n+1, 0
		}
	}
	if n == len(b.chunks) {
		if *spare == nil {
			*spare = new(chunk)
		}
		b.chunks, *spare = append(b.chunks, *spare), nil
	}
	b.last = newRef(z, n, at)
	return b.last
}

// before is the slot before r, 0 if there is none.
func (r ref) before() ref {
	z, chunk, at := r.size(), r.chunk(), r.at()
	switch {
	case at > 0:
		at -= z.bytes()
	case chunk > 0:
		chunk, at = chunk-1, (chunkSize/z.bytes()-1)*z.bytes()
	default:
		return 0
	}
	return newRef(z, chunk, at)
}

// drop gives up the last slot. A chunk that is left empty is the spare one: a key whose
// record grows passes through sizes that no other may have.
func (b *slab) drop(spare **chunk) {
	if b.last.at() == 0 {
		n := b.last.chunk()
		*spare, b.chunks[n] = b.chunks[n], nil
		b.chunks = b.chunks[:n]
	}
	b.last = b.last.before()
}
