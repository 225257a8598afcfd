package history

import "container/list"

// recent is a set of the texts that were added last. The zero value is empty.
type recent struct {
	order list.List
	at    map[string]*list.Element
}

// add adds a text, and forgets the oldest beyond a limit. A text that is there already keeps its age.
func (r *recent) add(text string, limit int) {
	if r.at[text] != nil {
		return
	}
	if r.at == nil {
		r.at = map[string]*list.Element{}
	}
	r.at[text] = r.order.PushBack(text)
	for r.order.Len() > limit {
		r.remove(r.order.Front().Value.(string))
	}
}

func (r *recent) has(text string) bool { return r.at[text] != nil }

// remove removes a text and says whether it was there.
func (r *recent) remove(text string) bool {
	e := r.at[text]
	if e == nil {
		return false
	}
	r.order.Remove(e)
	delete(r.at, text)
	return true
}
