package stream

import "hash/maphash"

// A space has the ids of one kind of block. The same id in two spaces means two things.
type space struct {
	ids
	// block is the type of the blocks, and the others are those of their events.
	block, start, delta, end string
}

// ids are the ids that are bound to blocks: a hash table that grows cheaply, as an answer may bind an id
// with every sixth part.
type ids struct {
	seed maphash.Seed
	// slots has the places in entries plus 1, with the hash in the upper half, and 0 for none, at the first
	// free place from the hash on. Its length is a power of two, twice the room in entries.
	slots   []uint64
	entries []entry
	// bound is how many entries have a block.
	bound int
	// last is the place of the entry that was used last; most parts are about the same block as the one
	// before.
	last int
}

type entry struct {
	id   string
	hash uint32
	// at is the block's index, -1 if the id is not bound any more.
	at int32
}

func (s *ids) find(id string) (at int, ok bool) {
	if s.last < len(s.entries) {
		if e := &s.entries[s.last]; e.id == id {
			return int(e.at), e.at >= 0
		}
	}
	if place, _ := s.look(id); place >= 0 {
		s.last = place
		return int(s.entries[place].at), s.entries[place].at >= 0
	}
	return 0, false
}

// look returns the place of an id's entry, -1 if there is none.
func (s *ids) look(id string) (place int, hash uint32) {
	hash = uint32(maphash.String(s.seed, id))
	if len(s.slots) == 0 {
		return -1, hash
	}
	mask := uint32(len(s.slots) - 1)
	for i := hash & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if uint32(s.slots[i]>>32) != hash {
			continue
		}
		if place = int(uint32(s.slots[i])) - 1; s.entries[place].id == id {
			return place, hash
		}
	}
	return -1, hash
}

// bind binds an id, which is kept, to a block.
func (s *ids) bind(id string, at int) {
	place, hash := s.look(id)
	if place < 0 {
		if place = len(s.entries); place == cap(s.entries) {
			s.grow()
		}
		s.entries = append(s.entries, entry{id: id, hash: hash, at: -1})
		s.slot(place)
	}
	e := &s.entries[place]
	if e.at < 0 {
		s.bound++
	}
	e.at, s.last = int32(at), place
}

// grow doubles the room.
func (s *ids) grow() {
	n := max(4, 2*cap(s.entries))
	entries := make([]entry, len(s.entries), n)
	copy(entries, s.entries)
	s.entries, s.slots = entries, make([]uint64, 2*n)
	for place := range s.entries {
		s.slot(place)
	}
}

func (s *ids) slot(place int) {
	hash, mask := s.entries[place].hash, uint32(len(s.slots)-1)
	i := hash & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	s.slots[i] = uint64(hash)<<32 | uint64(place+1)
}

func (s *ids) unbind(id string) {
	if place, _ := s.look(id); place >= 0 && s.entries[place].at >= 0 {
		s.entries[place].at = -1
		s.bound--
	}
}
