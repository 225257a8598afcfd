package session

// A seqSet is a set of seqs, small as long as they lie close together.
type seqSet struct {
	words map[int64]uint64 // 64 seqs each
	at    int64            // the word that is held
	word  uint64
}

func (s *seqSet) hold(seq int64) uint64 {
	if at := seq >> 6; at != s.at || s.words == nil {
		if s.words == nil {
			s.words = map[int64]uint64{}
		}
		s.words[s.at] = s.word
		s.at, s.word = at, s.words[at]
	}
	return 1 << (seq & 63)
}

func (s *seqSet) has(seq int64) bool { bit := s.hold(seq); return s.word&bit != 0 }

// add returns false if the set has it already.
func (s *seqSet) add(seq int64) bool {
	bit := s.hold(seq)
	had := s.word&bit != 0
	s.word |= bit
	return !had
}

// A seqMap says what seqs became. It is small as long as they run side by side.
type seqMap struct {
	runs []seqRun // ascending by old
	odd  map[int64]int64
}

// A seqRun is n seqs from old on, which became those from seq on.
type seqRun struct{ old, seq, n int64 }

func (m *seqMap) add(old, seq int64) {
	if len(m.runs) > 0 {
		r := &m.runs[len(m.runs)-1]
		switch {
		case old == r.old+r.n && seq == r.seq+r.n:
			r.n++
			return
		case old < r.old+r.n:
			if m.odd == nil {
				m.odd = map[int64]int64{}
			}
			m.odd[old] = seq
			return
		}
	}
	m.runs = append(m.runs, seqRun{old, seq, 1})
}

func (m *seqMap) find(old int64) (int64, bool) {
	from, to := 0, len(m.runs) // the first run that begins behind old is in this range
	for from < to {
		if middle := (from + to) / 2; m.runs[middle].old <= old {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from > 0 {
		if r := m.runs[from-1]; old < r.old+r.n {
			return r.seq + old - r.old, true
		}
	}
	seq, ok := m.odd[old]
	return seq, ok
}
