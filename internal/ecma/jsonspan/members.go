package jsonspan

// Members calls each with the bytes of every member of an object in their order: the key with its
// quotation marks, and the value. Like the [Walker] it notes nothing and allocates nothing. It returns
// false if data is not one valid JSON document (see [Valid]) that is an object; each may have been
// called for members in front of the fault by then.
func Members(data []byte, each func(key, value []byte)) bool {
	w := Walk(data)
	if w.Kind() != Object {
		return false
	}
	for w.Next() {
		each(w.RawKey(), w.Raw())
	}
	return w.state == walkEnded
}
