package session

// A chain is a list in order whose members are also found by key. Every change costs the time of what it
// touches, and can be taken back: a member that was taken out still knows its neighbours.
type chain[K comparable, V any] struct {
	head, tail *item[K, V]
	at         map[K]*item[K, V]
}

type item[K comparable, V any] struct {
	key        K
	value      V
	prev, next *item[K, V]
}

// find returns a member, nil if there is none with the key.
func (c *chain[K, V]) find(key K) *item[K, V] { return c.at[key] }

// join makes b follow a; nil is the end of the chain on either side.
func (c *chain[K, V]) join(a, b *item[K, V]) {
	if a == nil {
		c.head = b
	} else {
		a.next = b
	}
	if b == nil {
		c.tail = a
	} else {
		b.prev = a
	}
}

func (c *chain[K, V]) index(first, last *item[K, V]) {
	if c.at == nil {
		c.at = map[K]*item[K, V]{}
	}
	for l := first; ; l = l.next {
		c.at[l.key] = l
		if l == last {
			return
		}
	}
}

func (c *chain[K, V]) forget(first, last *item[K, V]) {
	for l := first; ; l = l.next {
		delete(c.at, l.key)
		if l == last {
			return
		}
	}
}

// add puts a member at the end.
func (c *chain[K, V]) add(l *item[K, V]) {
	c.join(c.tail, l)
	c.join(l, nil)
	c.index(l, l)
}

// replace puts l in the place of the members from first to last.
func (c *chain[K, V]) replace(first, last, l *item[K, V]) {
	c.forget(first, last)
	c.join(first.prev, l)
	c.join(l, last.next)
	c.index(l, l)
}

// restore takes back a replace. The changes after it must have been taken back.
func (c *chain[K, V]) restore(first, last, l *item[K, V]) {
	c.forget(l, l)
	c.join(l.prev, first)
	c.join(last, l.next)
	c.index(first, last)
}

// remove takes a member out.
func (c *chain[K, V]) remove(l *item[K, V]) {
	c.forget(l, l)
	c.join(l.prev, l.next)
}

// reinsert takes back a remove. The changes after it must have been taken back.
func (c *chain[K, V]) reinsert(l *item[K, V]) {
	c.join(l.prev, l)
	c.join(l, l.next)
	c.index(l, l)
}
